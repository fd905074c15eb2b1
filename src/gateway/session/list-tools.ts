import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { NameIndex } from '../../access/index.ts';
import type { Config } from '../../config/index.ts';
import type { JsonObject } from '../../json.ts';
import type { Principal } from '../../principal.ts';
import {
  fromShort,
  isFqdn,
  listMostUsed,
  listNamed,
  type NamedCapability,
  nestedCallees,
  toolName,
} from '../../registry/index.ts';
import type { Redactor } from '../../secrets/index.ts';
import type { Db } from '../../store/index.ts';
import type { PmlTool } from '../tools/index.ts';
import type { DeclaredOutputs } from './declared-outputs.ts';
import { deriveHints } from './derive-hints.ts';
import { describeCapability } from './describe-capability.ts';
import { Page } from './pages.ts';

export interface ToolSources {
  db: Db;
  config: Pick<Config, 'expose' | 'lifecycle' | 'names'>;
  redactor: Redactor;
  who: Principal;
  /** PML's own tools that the session offers. */
  ownTools: readonly PmlTool[];
  /** False in a session that offers a part which holds no capabilities. */
  listsCapabilities: boolean;
  /** Returns the servers' tools that the session offers at the moment. */
  tools: () => NameIndex;
  /** Returns the servers' tools that capabilities can call at the moment. */
  callable: () => NameIndex;
  /** The servers whose tools are not listed. */
  unlistedServers: ReadonlySet<string>;
  /** Remembers the output schemas that the client is told. */
  toldOutputs: DeclaredOutputs;
}

/**
 * Returns one page of all tools: PML's own, then the servers' by name, then the capabilities by name. The cursor holds
 * the part and the last name of the page, so a list that changes between pages neither repeats nor skips what stayed.
 */
export async function listTools(sources: ToolSources, cursor: unknown): Promise<JsonObject> {
  const at = cursor === undefined ? { part: 'tools', after: '' } : parseCursor(cursor);
  const page = new Page();
  // PML's own tools are few, so all are on the first page.
  if (cursor === undefined) for (const { listed } of sources.ownTools) page.add(listed, 'name');
  if (at.part === 'tools') {
    const next = addAll(page, 'tools', serverTools(sources, at.after), at.after);
    if (next !== undefined) return { tools: page.items, nextCursor: next };
  }
  const after = at.part === 'capabilities' ? at.after : '';
  const { slots } = page;
  const found = await exposedCapabilities(sources, fromShort(after) ?? after, slots + 1);
  const next =
    addAll(page, 'capabilities', await asTools(sources, unshadowed(sources, found)), after) ??
    // Everything found is on the page, but one more was found than the page has slots, so there may be others.
    (found.length > slots ? cursorAfter('capabilities', found.at(-1)?.listedName) : undefined);
  return { tools: page.items, ...(next !== undefined && { nextCursor: next }) };
}

/** Puts tools on the page. If not all of them fit, returns the cursor of the next page. */
function addAll(page: Page, part: string, tools: readonly JsonObject[], after: string): string | undefined {
  let last = after;
  for (const tool of tools) {
    if (!page.add(tool, 'name')) return cursorAfter(part, last);
    last = String(tool.name);
  }
  return undefined;
}

/** Returns the tools of the servers after a name, in the order of names. */
function serverTools({ tools, unlistedServers }: ToolSources, after: string): JsonObject[] {
  return tools().entries.flatMap(({ listed, upstream }) =>
    String(listed.name) > after && !unlistedServers.has(upstream.name) ? [listed] : [],
  );
}

async function exposedCapabilities(
  { db, config, who, listsCapabilities }: ToolSources,
  after: string,
  limit: number,
): Promise<NamedCapability[]> {
  const { expose, lifecycle } = config;
  const { capabilities: exposed } = expose;
  if (exposed === 'none' || !listsCapabilities) return [];
  if (exposed === 'all') return listNamed(db, who, after, limit, lifecycle);
  const most = await listMostUsed(db, who, exposed, lifecycle);
  return most.filter(({ listedName }) => listedName > after);
}

/** Leaves out capabilities that have the name of a server's tool: the tool wins, even if it came later. */
function unshadowed({ callable, config }: ToolSources, found: readonly NamedCapability[]): NamedCapability[] {
  const known = callable();
  const isTaken = ({ listedName, name }: NamedCapability) =>
    known.has(listedName) || known.has(name) || known.has(toolName(listedName, config.names.listed));
  return found.filter((one) => !isTaken(one));
}

async function asTools(sources: ToolSources, found: readonly NamedCapability[]): Promise<JsonObject[]> {
  const { db, who, callable, toldOutputs, config, redactor } = sources;
  const nested = found.flatMap(({ callees }) => callees?.filter(isFqdn) ?? []);
  const known = { tools: callable(), nestedCallees: await nestedCallees(db, who, nested), redactor };
  return found.map((capability) => {
    const { listedName, name, parametersSchema, callees } = capability;
    const shown = toolName(listedName, config.names.listed);
    const outputSchema = toldOutputs.tell(shown, capability.outputSchema);
    return {
      name: shown,
      title: name,
      description: describeCapability(capability, outputSchema, known),
      inputSchema: parametersSchema,
      ...(outputSchema && { outputSchema }),
      annotations: deriveHints(callees, known.tools, known.nestedCallees),
    };
  });
}

function cursorAfter(part: string, last = ''): string {
  return Buffer.from(JSON.stringify([part, last])).toString('base64url');
}

function parseCursor(cursor: unknown): { part: string; after: string } {
  try {
    const [part, after] = JSON.parse(Buffer.from(String(cursor), 'base64url').toString('utf8'));
    if ((part === 'tools' || part === 'capabilities') && typeof after === 'string') return { part, after };
  } catch {
    // Refused below.
  }
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Invalid cursor');
}
