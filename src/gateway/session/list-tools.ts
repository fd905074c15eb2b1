import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { DirectoryEntry, NameIndex } from '../../access/index.ts';
import type { Config } from '../../config/index.ts';
import type { JsonObject } from '../../json.ts';
import type { Principal } from '../../principal.ts';
import {
  isFqdn,
  listMostUsed,
  listNamed,
  type NamedCapability,
  nestedCallees,
  shownDescription,
} from '../../registry/index.ts';
import type { Db } from '../../store/index.ts';
import { PML_TOOLS } from '../tools/index.ts';
import { deriveHints } from './derive-hints.ts';
import { Page } from './pages.ts';
import type { ToldOutputs } from './told-outputs.ts';

export interface ToolSources {
  db: Db;
  config: Pick<Config, 'expose' | 'lifecycle'>;
  who: Principal;
  /** Returns the servers' tools that the session can reach at the moment. */
  tools: () => NameIndex;
  /** Remembers the output schemas that the client is told. */
  toldOutputs: ToldOutputs;
}

/**
 * Returns one page of all tools: PML's own and the servers' by name, then the capabilities by name. The cursor holds the
 * part and the last name of the page, so a list that changes in between neither repeats nor skips what stayed.
 */
export async function listTools(sources: ToolSources, cursor: unknown): Promise<JsonObject> {
  const at = cursor === undefined ? { part: 'tools', after: '' } : parseCursor(cursor);
  const page = new Page();
  if (at.part === 'tools') {
    const next = addAll(page, 'tools', fixedTools(sources, at.after), at.after);
    if (next !== undefined) return { tools: page.items, nextCursor: next };
  }
  const after = at.part === 'capabilities' ? at.after : '';
  const { slots } = page;
  const found = await exposedCapabilities(sources, after, slots + 1);
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

/** Returns the tools whose list does not depend on the registry. */
function fixedTools({ config, tools }: ToolSources, after: string): JsonObject[] {
  const entries: readonly DirectoryEntry[] = config.expose.upstream === 'all' ? tools().entries : [];
  return [...PML_TOOLS, ...entries]
    .map(({ listed }) => listed)
    .filter(({ name }) => String(name) > after)
    .sort((a, b) => (String(a.name) < String(b.name) ? -1 : 1));
}

async function exposedCapabilities(
  { db, config, who }: ToolSources,
  after: string,
  limit: number,
): Promise<NamedCapability[]> {
  const { expose, lifecycle } = config;
  const { capabilities: exposed } = expose;
  if (exposed === 'none') return [];
  if (exposed === 'all') return listNamed(db, who, after, limit, lifecycle);
  const most = await listMostUsed(db, who, exposed, lifecycle);
  return most.filter(({ listedName }) => listedName > after);
}

/** Leaves out capabilities that have the name of a server's tool: the tool wins, also if it came later. */
function unshadowed({ tools }: ToolSources, found: readonly NamedCapability[]): NamedCapability[] {
  const known = tools();
  return found.filter(({ listedName, name }) => !known.has(listedName) && !known.has(name));
}

async function asTools(
  { db, who, tools, toldOutputs }: ToolSources,
  found: readonly NamedCapability[],
): Promise<JsonObject[]> {
  const nested = found.flatMap(({ callees }) => callees?.filter(isFqdn) ?? []);
  const nestedTools = await nestedCallees(db, who, nested);
  const known = tools();
  return found.map((capability) => {
    const { listedName, name, parametersSchema, callees } = capability;
    const outputSchema = toldOutputs.tell(listedName, capability.outputSchema);
    return {
      name: listedName,
      title: name,
      description: shownDescription(capability),
      inputSchema: parametersSchema,
      ...(outputSchema && { outputSchema }),
      annotations: deriveHints(callees, known, nestedTools),
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
