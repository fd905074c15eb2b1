import { connectDaemon } from '../daemon/connect-daemon.js';
import { PmlError } from '../errors.ts';
import { answerOf, openToolClient, requestTool, type ToolResult } from '../tool-client.ts';
import { VERSION } from '../version.ts';
import type { Terminal } from './terminal.ts';

/** Calls one of PML's own tools and returns its structured answer. */
export async function callTool(
  terminal: Terminal,
  name: string,
  args: Record<string, unknown>,
  config?: string,
): Promise<Record<string, unknown>> {
  return answerOf(await callAnyTool(terminal, name, args, config));
}

/** Calls any tool through the daemon, as an MCP client would, and returns its result. ctrl-C cancels the call. */
export async function callAnyTool(
  terminal: Terminal,
  name: string,
  args: Record<string, unknown>,
  config?: string,
): Promise<ToolResult> {
  const client = await openToolClient('pml-cli', () => connect(terminal, config));
  const abort = new AbortController();
  const cancel = () => abort.abort();
  process.once('SIGINT', cancel);
  try {
    const onprogress = terminal.interactive ? shownBy(terminal) : undefined;
    return await requestTool(client, name, args, { signal: abort.signal, onprogress });
  } finally {
    process.off('SIGINT', cancel);
    await client.close();
  }
}

/** Opens a session with the daemon, in the name of the person who typed the command. */
async function connect(terminal: Terminal, config: string | undefined): Promise<unknown> {
  const handshake = {
    version: VERSION,
    kind: 'session',
    person: true,
    cwd: process.cwd(),
    env: process.env,
    ...(config && { config }),
  };
  // Loaded while the daemon answers, and only for commands that call a tool.
  const [connection, { StreamTransport }] = await Promise.all([
    connectDaemon({ env: process.env, handshake, onProgress: terminal.progress }),
    import('../gateway/transport/stream-transport.ts'),
  ]);
  if (!connection) throw new PmlError('daemon_unreachable', 'PML could not be reached.');
  if (typeof connection.reply.notice === 'string') terminal.warn(connection.reply.notice);
  return new StreamTransport(connection.socket);
}

/** Shows the progress that a call reports. */
function shownBy(terminal: Terminal) {
  return ({ message }: { message?: string | undefined }) => {
    if (message) terminal.progress(message);
  };
}
