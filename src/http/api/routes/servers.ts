import { PmlError } from '../../../errors.ts';
import { parseLogLine, readLog, serverOfLine } from '../../../log-lines.ts';
import { publicUrl } from '../../../secrets/index.ts';
import type { Upstream } from '../../../upstream/index.ts';
import { defineRoute } from '../route.ts';
import { Restarted, type ServerItem, ServerList, ServerLog, ServerLogQuery } from '../schemas/servers.ts';
import { usageSince } from '../tool-entry.ts';
import type { View } from '../view.ts';

/** How long the answer waits for the restart. The page shows the state of a slower server anyway. */
const RESTART_MS = 10_000;

export const listServersRoute = defineRoute({
  method: 'get',
  path: '/servers',
  summary: 'All servers and their state',
  answer: ServerList,
  run: async (_, view) => {
    const figures = (await usageSince(view)).byServer();
    const running = new Map(view.client.upstreams.map((upstream) => [upstream.name, upstream]));
    const items = view.client.servers.map((summary): ServerItem => {
      const { name, state, problem, tools, isOffered } = summary;
      const { calls = 0, success_rate = null, p50_ms = null } = figures.get(name) ?? {};
      return {
        ...{ name, state, tools: tools ?? 0, unlisted: !isOffered, calls, success_rate, p50_ms },
        ...(problem !== undefined && { problem }),
        ...connectionOf(view, name, running.get(name)),
      };
    });
    return { items, next: null };
  },
});

export const serverLogRoute = defineRoute({
  method: 'get',
  path: '/servers/:name/log',
  summary: 'The end of the log of one server',
  query: ServerLogQuery,
  answer: ServerLog,
  run: async ({ params: { name }, query: { lines } }, view) => {
    assertKnown(view, name);
    const { home } = view.gateway.workspace.config;
    const own = (readLog(home)?.lines ?? []).filter((line) => serverOfLine(line) === name);
    return { lines: own.slice(-lines).flatMap((line) => parseLogLine(line) ?? []) };
  },
});

export const restartServerRoute = defineRoute({
  method: 'post',
  path: '/servers/:name/restart',
  summary: 'Starts a server anew, or connects to it again',
  answer: Restarted,
  run: async ({ params: { name } }, view) => {
    assertKnown(view, name);
    const upstream = view.client.upstreams.find((one) => one.name === name);
    if (!upstream) throw new PmlError('server_not_found', `The server "${name}" does not run here.`);
    await upstream.restart(RESTART_MS);
    const { state, problem } = upstream;
    return { state, ...(problem !== undefined && { problem }) };
  },
});

function assertKnown({ gateway }: View, name: string): void {
  if (gateway.workspace.config.servers.some((server) => server.name === name)) return;
  throw new PmlError('server_not_found', `There is no server "${name}" in the config.`);
}

type ConnectionPart = Pick<
  ServerItem,
  'protocol' | 'transport' | 'address' | 'pid' | 'sessions' | 'per_session'
>;

/** How a server is reached. Its address has no secrets. */
function connectionOf(view: View, name: string, upstream: Upstream | undefined): ConnectionPart {
  const { config, members, redactor } = view.gateway.workspace;
  const server = config.servers.find((one) => one.name === name);
  const transport = server?.transport;
  const address =
    transport === undefined
      ? ''
      : transport.kind === 'stdio'
        ? redactor.text([transport.command, ...transport.args].join(' '))
        : publicUrl(transport.url, [...config.secrets]);
  const pid = upstream?.pid ?? undefined;
  return {
    protocol: upstream?.era === undefined ? null : upstream.era === 'modern' ? '2026-07-28' : 'older',
    transport: transport?.kind ?? 'in-process',
    address,
    ...(pid !== undefined && { pid }),
    sessions: members.size,
    per_session: server?.perSession ?? false,
  };
}
