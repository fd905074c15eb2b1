import type { Socket } from 'node:net';
import { join } from 'node:path';
import { z } from 'zod';
import { findAgent, isListed } from '../access/agents/index.ts';
import type { NameIndex } from '../access/index.ts';
import type { Config } from '../config/index.ts';
import { PmlError } from '../errors.ts';
import { noteWork } from '../event-loop-watchdog.ts';
import type { Gateway } from '../gateway/index.ts';
import type { Principal } from '../principal.ts';
import {
  exportBundle,
  importBundle,
  type LocalTools,
  MAX_BUNDLE_BYTES,
  TrustedKeys,
} from '../registry/bundle/index.ts';
import { exportSkills } from '../registry/skill/index.ts';
import { withTimeout } from '../with-timeout.ts';
import { explainAgents, type Member, type Workspace } from '../workspace/index.ts';
import { callableNames, findCallable } from './callables.ts';
import { readLine } from './socket-protocol.js';
import { errorLine, sendLine } from './socket-server.ts';
import { answerThreadRequest, isThreadRequest, THREAD_REQUESTS } from './thread-requests.ts';

/** Larger than a bundle, so that one that is too large arrives and is refused. JSON may escape every character. */
const MAX_REQUEST_BYTES = 12 * MAX_BUNDLE_BYTES;

/** A request of a CLI command that has no tool: agents have no business with files, or with whom to trust. */
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
  z.strictObject({ do: z.literal('find_callable'), name: z.string().min(1).max(1000) }),
  z.strictObject({ do: z.literal('callable_names') }),
  z.strictObject({ do: z.literal('servers') }),
  z.strictObject({ do: z.literal('agents'), agent: z.string().max(1000).optional() }),
  z.strictObject({ do: z.literal('agent_tools'), agent: z.string().max(1000) }),
  ...THREAD_REQUESTS,
]);
type AdminRequest = z.infer<typeof AdminRequest>;

export interface AdminContext {
  gateway: Gateway;
  who: Principal;
  home: string;
}

/** Answers the admin requests of one client, a line each, until it disconnects. */
export async function serveAdminRequests(socket: Socket, context: AdminContext): Promise<void> {
  while (!socket.destroyed && !socket.readableEnded) {
    const line = await readLine(socket, MAX_REQUEST_BYTES);
    if (line === undefined) break;
    sendLine(socket, await answerLine(line, context));
  }
  socket.end();
}

async function answerLine(line: string, context: AdminContext): Promise<object> {
  try {
    return { ok: true, answer: await answer(parseRequest(line), context) };
  } catch (error) {
    const { log } = context.gateway.resources;
    if (!(error instanceof PmlError)) log.error(`an admin request failed: ${(error as Error).stack}`);
    return errorLine(error);
  }
}

function parseRequest(line: string): AdminRequest {
  try {
    return AdminRequest.parse(JSON.parse(line));
  } catch {
    throw new PmlError('bad_request', 'The background process did not understand this request.', {
      hint: 'It may be of another version: stop it with `pml down`, and try again.',
    });
  }
}

async function answer(request: AdminRequest, { gateway, who, home }: AdminContext): Promise<object> {
  const { db, keys } = gateway.resources;
  noteWork(request.do);
  if (request.do === 'export') {
    if (request.format === 'skill') return { skills: await exportSkills({ db, keys }, who, request.names) };
    return exportBundle({ db, keys }, who, request.names);
  }
  if (request.do === 'agents') return explainAgents(gateway.workspace, { db, who }, request.agent);
  if (request.do === 'agent_tools') return toolsOfAgent(gateway.workspace, request.agent);
  if (request.do === 'find_callable') {
    // A server that was never listed may have it.
    const { workspace } = gateway;
    await workspace.toolsKnown();
    return withTools(workspace, who, (tools, member) => {
      const whyMissing = (name: string) => workspace.whyMissing(member, name);
      return findCallable({ db, who, whyMissing }, tools, request.name);
    });
  }
  if (request.do === 'callable_names')
    return withTools(gateway.workspace, who, (tools) => callableNames({ db, who }, tools));
  if (request.do === 'servers')
    return withTools(gateway.workspace, who, () => startedServers(gateway.workspace));
  if (isThreadRequest(request)) {
    const { redactor } = gateway.workspace;
    return answerThreadRequest(request, { db, who, redactor });
  }
  const { do: _, text, dry_run: dryRun, ...options } = request;
  const trusted = new TrustedKeys(join(home, 'keys', 'trusted'));
  return withTools(gateway.workspace, who, (tools) => {
    const localTools = localToolsOf(gateway.workspace.config, tools);
    return importBundle({ db, keys }, who, text, { ...options, dryRun, trusted, localTools });
  });
}

/** Lists the tools of each capability that an agent names; null for a server that nobody has listed yet. */
async function toolsOfAgent(workspace: Workspace, name: string): Promise<Record<string, string[] | null>> {
  const { capabilities } = findAgent(workspace.config, name);
  await workspace.toolsKnown();
  const known = Object.keys(capabilities).flatMap((key) => {
    const resolver = workspace.agentCapabilities.resolverOf(key);
    return resolver ? [[key, isListed(resolver) ? resolver.tools.map((tool) => tool.key) : null]] : [];
  });
  return Object.fromEntries(known);
}

/** How long a new user waits for the servers: a first start may download them. */
const FIRST_START_MS = 60_000;

/** Lists the servers of a workspace once they are up, each with its tools or what is wrong with it. */
async function startedServers({ upstreams }: Workspace) {
  await withTimeout(Promise.all(upstreams.map((upstream) => upstream.settled())), FIRST_START_MS);
  const servers = upstreams.map(({ name, state, problem, catalog }) => ({
    ...{ name, state },
    problem: state === 'starting' ? 'is still starting' : problem,
    tools: catalog.tools.map((tool) => tool.name),
  }));
  return { servers };
}

/** Joins the workspace for as long as the act takes, so that per-session servers run, too. */
async function withTools<T>(
  workspace: Workspace,
  who: Principal,
  act: (tools: NameIndex, member: Member) => Promise<T>,
): Promise<T> {
  const member: Member = {
    who,
    logLevel: undefined,
    listChanged: () => {},
    resourceUpdated: () => {},
    close: () => workspace.leave(member),
  };
  workspace.join(member);
  try {
    await workspace.listsReady();
    return await act(workspace.directoryOf(member).tools, member);
  } finally {
    await member.close();
  }
}

function localToolsOf({ servers }: Config, tools: NameIndex): LocalTools {
  return {
    refuse: (name) => tools.assertFree(name),
    toolOf: (spelling) => {
      const entry = tools.has(spelling) ? tools.find(spelling) : lookUnambiguous(tools, spelling);
      return entry && { name: `${entry.upstream.name}:${entry.own}`, routing: entry.upstream.server.routing };
    },
    hasServer: (name) => servers.some((server) => server.name === name),
  };
}

/** Finds a tool by any spelling that means one tool alone. */
function lookUnambiguous(tools: NameIndex, spelling: string) {
  try {
    return tools.lookup(spelling);
  } catch {
    return undefined;
  }
}
