import type { Socket } from 'node:net';
import { join } from 'node:path';
import { z } from 'zod';
import type { NameIndex } from '../access/index.ts';
import { messageOf, PmlError } from '../errors.ts';
import { noteWork } from '../event-loop-watchdog.ts';
import type { Workspace } from '../gateway/index.ts';
import type { Log } from '../log.ts';
import type { Principal } from '../principal.ts';
import {
  exportBundle,
  importBundle,
  type LocalTools,
  MAX_BUNDLE_BYTES,
  TrustedKeys,
} from '../registry/bundle/index.ts';
import { exportSkills } from '../registry/skill/index.ts';
import { readLine } from './attach.js';
import { reply } from './socket-server.ts';

/** A file that is too large must arrive to be told so, and every character of it may be escaped on its way. */
const ERRAND_BYTES = 12 * MAX_BUNDLE_BYTES;

/** What a command asks for that is no tool: an agent has no business with files and with whom to trust. */
const AdminRequest = z.discriminatedUnion('do', [
  z.strictObject({
    do: z.literal('export'),
    names: z.array(z.string().max(1000)).max(1000),
    format: z.enum(['bundle', 'skill']),
  }),
  z.strictObject({
    do: z.literal('import'),
    text: z.string(),
    trust: z.string().optional(),
    always: z.boolean().optional(),
    rename: z.record(z.string(), z.string()).optional(),
    prefix: z.string().optional(),
    dry_run: z.boolean().optional(),
  }),
]);
type AdminRequest = z.infer<typeof AdminRequest>;

interface Sender {
  workspace: Workspace;
  who: Principal;
  home: string;
  log: Log;
}

/** Does what one caller asks for, a line each, until it goes. */
export async function serveAdminRequests(socket: Socket, sender: Sender): Promise<void> {
  while (!socket.destroyed && !socket.readableEnded) {
    const line = await readLine(socket, ERRAND_BYTES);
    if (line === undefined) break;
    reply(socket, await answerTo(line, sender));
  }
  socket.end();
}

async function answerTo(line: string, sender: Sender): Promise<object> {
  try {
    return { ok: true, answer: await run(errandOf(line), sender) };
  } catch (error) {
    if (!(error instanceof PmlError)) sender.log.error(`an errand failed: ${(error as Error).stack}`);
    const { code, hint } = error instanceof PmlError ? error : { code: 'internal', hint: undefined };
    return { error: { code, message: messageOf(error), hint } };
  }
}

function errandOf(line: string): AdminRequest {
  try {
    return AdminRequest.parse(JSON.parse(line));
  } catch {
    throw new PmlError('bad_request', 'What was asked for was not understood.', {
      hint: 'The background process may be of another version: stop it with `pml down`, and try again.',
    });
  }
}

async function run(errand: AdminRequest, { workspace, who, home }: Sender): Promise<object> {
  noteWork(errand.do);
  if (errand.do === 'export') {
    if (errand.format === 'skill') return { skills: await exportSkills(workspace, who, errand.names) };
    return exportBundle(workspace, who, errand.names);
  }
  const { do: _, text, dry_run: dryRun, ...options } = errand;
  const trusted = new TrustedKeys(join(home, 'keys', 'trusted'));
  return withTools(workspace, who, (localTools) =>
    importBundle(workspace, who, text, { ...options, dryRun, trusted, localTools }),
  );
}

/** What is connected for a session of this principal, for as long as it takes. */
async function withTools<T>(
  workspace: Workspace,
  who: Principal,
  act: (localTools: LocalTools) => Promise<T>,
): Promise<T> {
  const session = workspace.open(who, { listChanged: () => {}, resourceUpdated: () => {} });
  try {
    await workspace.listsReady();
    return await act(surroundingsOf(workspace, workspace.directoryOf(session).tools));
  } finally {
    await session.close();
  }
}

function surroundingsOf({ config }: Workspace, tools: NameIndex): LocalTools {
  return {
    refuse: (name) => tools.assertFree(name),
    toolOf: (spelling) => {
      const entry = tools.has(spelling) ? tools.find(spelling) : unambiguous(tools, spelling);
      return entry && { name: `${entry.upstream.name}:${entry.own}`, routing: entry.upstream.server.routing };
    },
    hasServer: (name) => config.servers.some((server) => server.name === name),
  };
}

function unambiguous(tools: NameIndex, spelling: string) {
  try {
    return tools.lookup(spelling);
  } catch {
    return undefined;
  }
}
