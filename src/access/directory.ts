import type { JsonObject } from '../json.ts';
import type { Catalog, Upstream } from '../upstream/index.ts';
import { type AgentRights, mayUseAll, mayUseTool } from './agents/agent-rights.ts';
import { toClientTools } from './client-schemas.ts';
import type { NameStyle } from './listed-names.ts';
import { type DirectoryEntry, NameIndex } from './name-index.ts';

/** The tools, prompts and resources that a session can reach on the servers of its workspace, under unique names. */
export interface Directory {
  readonly tools: NameIndex;
  readonly prompts: NameIndex;
  readonly resources: readonly DirectoryEntry[];
  readonly templates: readonly DirectoryEntry[];
  /** Finds the server of a resource, and the URI that the resource has there. */
  resource(uri: string): { upstream: Upstream; uri: string } | undefined;
}

/** The prefix of a resource whose URI another server uses too, so that both are listed. */
const CLASH_PREFIX = 'pml-resource://';

/**
 * Builds the directory of these servers; with `rights`, only of what the agent may use. `whole` is a directory in the
 * same style that includes all of these servers.
 */
export function buildDirectory(
  all: readonly Upstream[],
  style: NameStyle,
  rights?: AgentRights,
  whole?: Directory,
): Directory {
  const mayUse = ({ upstream, own }: DirectoryEntry) => !rights || mayUseTool(rights, upstream.name, own);
  const tools =
    whole?.tools.partOf(mayUse) ?? new NameIndex('tool', all.flatMap(toolsOf).filter(mayUse), style);
  // The rights may allow single tools of a server. Its prompts and resources need the whole server.
  const upstreams = rights ? all.filter(({ name }) => mayUseAll(rights, name)) : all;
  const prompts = new NameIndex(
    'prompt',
    upstreams.flatMap((upstream) =>
      upstream.catalog.prompts.map((prompt) => entry(upstream, prompt.name, prompt)),
    ),
    style,
  );
  const resources = withUniqueUris(upstreams, 'resources', 'uri');
  const templates = withUniqueUris(upstreams, 'templates', 'uriTemplate');
  const byUri = new Map(resources.map((one) => [String(one.listed.uri), one]));
  return {
    tools,
    prompts,
    resources,
    templates,
    resource: (uri) => {
      const known = byUri.get(uri);
      if (known) return { upstream: known.upstream, uri: known.own };
      return byPrefix(uri, upstreams) ?? byTemplate(uri, templates) ?? byOnlyServer(uri, upstreams);
    },
  };
}

function entry(upstream: Upstream, own: string, listed: JsonObject): DirectoryEntry {
  return { upstream, own, listed };
}

/** Lists the tools of a server that the config offers, with schemas that clients accept. */
export function allowedTools({ server, catalog }: Pick<Upstream, 'server' | 'catalog'>): Catalog['tools'] {
  const { tools } = server;
  const all = toClientTools(catalog);
  return tools ? all.filter(({ name }) => tools.includes(name)) : all;
}

function toolsOf(upstream: Upstream): DirectoryEntry[] {
  return allowedTools(upstream).map((tool) => entry(upstream, tool.name, tool));
}

function withUniqueUris(
  upstreams: readonly Upstream[],
  kind: 'resources' | 'templates',
  key: string,
): DirectoryEntry[] {
  const taken = new Set<string>();
  const entries = upstreams.flatMap((upstream) =>
    upstream.catalog[kind].map((item) => {
      const own = String((item as JsonObject)[key]);
      const shown = taken.has(own) ? `${CLASH_PREFIX}${upstream.name}/${own}` : own;
      taken.add(shown);
      return entry(upstream, own, { ...item, [key]: shown });
    }),
  );
  return entries.sort((a, b) => (String(a.listed[key]) < String(b.listed[key]) ? -1 : 1));
}

function byPrefix(
  uri: string,
  upstreams: readonly Upstream[],
): { upstream: Upstream; uri: string } | undefined {
  if (!uri.startsWith(CLASH_PREFIX)) return undefined;
  const rest = uri.slice(CLASH_PREFIX.length);
  const upstream = upstreams.find(({ name }) => rest.startsWith(`${name}/`));
  return upstream && { upstream, uri: rest.slice(upstream.name.length + 1) };
}

function byTemplate(
  uri: string,
  templates: readonly DirectoryEntry[],
): { upstream: Upstream; uri: string } | undefined {
  const hit = templates.find(({ own }) => matchesTemplate(own, uri));
  return hit && { upstream: hit.upstream, uri };
}

/** A server may have resources that it never lists. Which server is meant is clear only if no other has resources. */
function byOnlyServer(
  uri: string,
  upstreams: readonly Upstream[],
): { upstream: Upstream; uri: string } | undefined {
  const withResources = upstreams.filter(({ catalog }) => catalog.capabilities.resources);
  return withResources.length === 1 && withResources[0] ? { upstream: withResources[0], uri } : undefined;
}

/** Checks whether a URI may come from a template: it must hold the fixed parts in order. */
function matchesTemplate(template: string, uri: string): boolean {
  const parts = template.split(/\{[^{}]*\}/);
  const last = parts.pop() as string;
  let at = 0;
  for (const [index, part] of parts.entries()) {
    const found = uri.indexOf(part, at);
    if (found === -1 || (index === 0 && found !== 0)) return false;
    at = found + part.length;
  }
  return parts.length === 0 ? uri === last : uri.length - last.length >= at && uri.endsWith(last);
}
