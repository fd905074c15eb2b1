import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { DirectoryEntry } from '../../access/index.ts';
import type { JsonObject } from '../../json.ts';
import { listMostUsed, listNamed, type NamedCapability, shownDescription } from '../../registry/index.ts';
import { PML_TOOLS } from '../tools/index.ts';
import { Page } from './pages.ts';
import type { Session } from './session.ts';

/**
 * One page of all tools: PML's own and the servers' by name, then the capabilities by name. The cursor says in which part,
 * and after which name, the next page begins, so a list that changes in between neither repeats nor skips what stayed.
 */
export async function listTools(session: Session, cursor: unknown): Promise<JsonObject> {
  const at = cursor === undefined ? { part: 'tools', after: '' } : parseCursor(cursor);
  const page = new Page();
  if (at.part === 'tools') {
    const more = addAll(page, 'tools', fixedTools(session, at.after), at.after);
    if (more !== undefined) return { tools: page.items, nextCursor: more };
  }
  const after = at.part === 'capabilities' ? at.after : '';
  const { slots } = page;
  const found = await exposedCapabilities(session, after, slots + 1);
  const more =
    addAll(page, 'capabilities', unshadowed(session, found).map(asTool), after) ??
    // All that were asked for are on the page, but these were one more than there was room for.
    (found.length > slots ? cursorAfter('capabilities', found.at(-1)?.listedName) : undefined);
  return { tools: page.items, ...(more !== undefined && { nextCursor: more }) };
}

/** Puts tools on the page. If not all of them fit, answers the cursor of the next page. */
function addAll(page: Page, part: string, tools: readonly JsonObject[], after: string): string | undefined {
  let last = after;
  for (const tool of tools) {
    if (!page.add(tool, 'name')) return cursorAfter(part, last);
    last = String(tool.name);
  }
  return undefined;
}

function fixedTools(session: Session, after: string): JsonObject[] {
  const { config } = session.workspace;
  const entries: readonly DirectoryEntry[] =
    config.expose.upstream === 'all' ? session.workspace.directoryOf(session).tools.entries : [];
  return [...PML_TOOLS, ...entries]
    .map(({ listed }) => listed)
    .filter(({ name }) => String(name) > after)
    .sort((a, b) => (String(a.name) < String(b.name) ? -1 : 1));
}

async function exposedCapabilities(
  session: Session,
  after: string,
  limit: number,
): Promise<NamedCapability[]> {
  const { workspace, who } = session;
  const { expose, lifecycle } = workspace.config;
  const { capabilities: exposed } = expose;
  if (exposed === 'none') return [];
  if (exposed === 'all') return listNamed(workspace.db, who, after, limit, lifecycle);
  const most = await listMostUsed(workspace.db, who, exposed, lifecycle);
  return most.filter(({ listedName }) => listedName > after);
}

/** A real tool of the same name wins, also when it came later. */
function unshadowed(session: Session, found: readonly NamedCapability[]): NamedCapability[] {
  const { tools } = session.workspace.directoryOf(session);
  return found.filter(({ listedName, name }) => !tools.has(listedName) && !tools.has(name));
}

function asTool(capability: NamedCapability): JsonObject {
  const { listedName, name, parametersSchema } = capability;
  return {
    name: listedName,
    title: name,
    description: shownDescription(capability),
    inputSchema: parametersSchema,
  };
}

function cursorAfter(part: string, last = ''): string {
  return Buffer.from(JSON.stringify([part, last])).toString('base64url');
}

function parseCursor(cursor: unknown): { part: string; after: string } {
  try {
    const [part, after] = JSON.parse(Buffer.from(String(cursor), 'base64url').toString('utf8'));
    if ((part === 'tools' || part === 'capabilities') && typeof after === 'string') return { part, after };
  } catch {
    // Said below.
  }
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Invalid cursor');
}
