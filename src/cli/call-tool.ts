import { attach } from '../daemon/attach.js';
import { errorInAnswer, PmlError } from '../errors.ts';
import { VERSION } from '../version.ts';
import type { Terminal } from './terminal.ts';

/** The result of a tool call as the protocol has it. */
export interface ToolResult {
  content?: readonly { type: string; text?: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
}

/** The daemon decides how long a call may take, so the SDK's own timeout must never cut it off. */
const TIMEOUT_MS = 24 * 60 * 60_000;

/** Calls one of PML's own tools and returns its structured answer. */
export async function callTool(
  terminal: Terminal,
  name: string,
  args: Record<string, unknown>,
  config?: string,
): Promise<Record<string, unknown>> {
  const result = await requestTool(terminal, name, args, config);
  const answer = result.structuredContent ?? { content: result.content };
  if (result.isError) throw errorOf(result);
  return answer;
}

/** Calls any tool through the daemon, as an MCP client would. ctrl-C cancels the call. */
export async function requestTool(
  terminal: Terminal,
  name: string,
  args: Record<string, unknown>,
  config?: string,
): Promise<ToolResult> {
  const handshake = {
    version: VERSION,
    kind: 'session',
    person: true,
    cwd: process.cwd(),
    env: process.env,
    ...(config && { config }),
  };
  // The SDK loads while the daemon answers, and only for commands that call a tool.
  const [attached, { Client }, { StreamTransport }] = await Promise.all([
    attach({ env: process.env, handshake, onProgress: terminal.progress }),
    import('@modelcontextprotocol/client'),
    import('../gateway/transport/stream-transport.ts'),
  ]);
  if (!attached) throw new PmlError('daemon_unreachable', 'PML could not be reached.');
  if (typeof attached.reply.notice === 'string') terminal.warn(attached.reply.notice);
  const client = new Client({ name: 'pml-cli', version: VERSION }, { versionNegotiation: { mode: 'auto' } });
  const abort = new AbortController();
  const cancel = () => abort.abort();
  process.once('SIGINT', cancel);
  try {
    await client.connect(new StreamTransport(attached.socket));
    const result = await client.callTool(
      { name, arguments: args },
      {
        signal: abort.signal,
        timeout: TIMEOUT_MS,
        ...(terminal.interactive && { onprogress: shownBy(terminal) }),
      },
    );
    return result as ToolResult;
  } finally {
    process.off('SIGINT', cancel);
    await client.close();
  }
}

/** Shows the progress that a call reports. */
function shownBy(terminal: Terminal) {
  return ({ message }: { message?: string | undefined }) => {
    if (message) terminal.progress(message);
  };
}

/** The error that a failed call answered with. A server says in plain text what went wrong. */
export function errorOf({ structuredContent, content = [] }: ToolResult): PmlError {
  const failure = errorInAnswer(structuredContent);
  if (failure) return failure;
  const text = content.flatMap((part) => part.text ?? []).join('\n');
  return new PmlError('tool_failed', text || JSON.stringify(structuredContent ?? content));
}
