import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { Entry } from '../access/index.ts';
import { type Capability, listMostUsed, listNamed, shownDescription } from '../registry/index.ts';
import type { Listed } from '../upstream/index.ts';
import { PAGE_SIZE } from './pages.ts';
import type { Session } from './session.ts';
import { PML_TOOLS } from './tools/index.ts';

/**
 * One page of all tools: PML's own and the servers' by name, then the capabilities by name. The cursor says in which part,
 * and after which name, the next page begins, so a list that changes in between neither repeats nor skips what stayed.
 */
export async function listTools(session: Session, cursor: unknown): Promise<Listed> {
  const at = cursor === undefined ? { part: 'tools', after: '' } : parseCursor(cursor);
  const fixed = at.part === 'tools' ? fixedTools(session).filter(({ name }) => String(name) > at.after) : [];
  const tools = fixed.slice(0, PAGE_SIZE);
  if (fixed.length > PAGE_SIZE) return { tools, nextCursor: cursorAfter('tools', tools) };
  const room = PAGE_SIZE - tools.length;
  const after = at.part === 'capabilities' ? at.after : '';
  const capabilities = await exposedCapabilities(session, after, room + 1);
  const listed = capabilities.slice(0, room).map(asTool);
  const all = [...tools, ...listed];
  if (capabilities.length <= room) return { tools: all };
  return { tools: all, nextCursor: cursorAfter('capabilities', listed, after) };
}

function fixedTools(session: Session): Listed[] {
  const { config } = session.workspace;
  const entries: readonly Entry[] =
    config.expose.upstream === 'all' ? session.workspace.directoryOf(session).tools.entries : [];
  return [...PML_TOOLS, ...entries]
    .map(({ listed }) => listed)
    .sort((a, b) => (String(a.name) < String(b.name) ? -1 : 1));
}

async function exposedCapabilities(session: Session, after: string, limit: number): Promise<Capability[]> {
  const { workspace, who } = session;
  const { expose, lifecycle } = workspace.config;
  const { capabilities: exposed } = expose;
  if (exposed === 'none') return [];
  const found =
    exposed === 'all'
      ? await listNamed(workspace.db, who, after, limit, lifecycle)
      : after === ''
        ? await listMostUsed(workspace.db, who, exposed, lifecycle)
        : [];
  // A real tool of the same name wins, also when it came later.
  const { tools } = workspace.directoryOf(session);
  return found.filter(({ listedName, name }) => !tools.has(listedName) && !tools.has(name));
}

function asTool(capability: Capability): Listed {
  const { listedName, name, parametersSchema } = capability;
  return {
    name: listedName,
    title: name,
    description: shownDescription(capability),
    inputSchema: parametersSchema,
  };
}

function cursorAfter(part: string, tools: readonly Listed[], fallback = ''): string {
  const last = String(tools.at(-1)?.name ?? fallback);
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
