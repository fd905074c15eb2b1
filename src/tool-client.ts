import type { Client, Transport } from '@modelcontextprotocol/client';
import { errorInAnswer, PmlError } from './errors.ts';
import type { JsonObject } from './json.ts';
import { VERSION } from './version.ts';

/** The result of a tool call as the protocol has it. */
export interface ToolResult {
  content?: readonly { type: string; text?: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
}

export interface RequestOptions {
  /** Cancels the call. */
  signal?: AbortSignal | undefined;
  onprogress?: ((progress: { message?: string | undefined }) => void) | undefined;
}

/** The gateway decides how long a call may take, so the SDK's own timeout must never cut it off. */
const TIMEOUT_MS = 24 * 60 * 60_000;

/** Connects a client to a gateway. The SDK, which takes a while to load, is loaded while the connection is made. */
export async function openToolClient(name: string, connect: () => Promise<unknown>): Promise<Client> {
  const [transport, { Client }] = await Promise.all([connect(), import('@modelcontextprotocol/client')]);
  const client = new Client({ name, version: VERSION }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(transport as Transport);
  return client;
}

/** Calls a tool, and returns its result, also if that is a failure. */
export async function requestTool(
  client: Client,
  name: string,
  args: Readonly<Record<string, unknown>>,
  { signal, onprogress }: RequestOptions = {},
): Promise<ToolResult> {
  const options = { timeout: TIMEOUT_MS, ...(signal && { signal }), ...(onprogress && { onprogress }) };
  return (await client.callTool({ name, arguments: { ...args } }, options)) as ToolResult;
}

/** Returns the structured answer of a call, else its content. Throws if the call failed. */
export function answerOf(result: ToolResult): JsonObject {
  if (result.isError) throw errorOf(result);
  return (result.structuredContent ?? { content: result.content }) as JsonObject;
}

/** The error that a failed call answered with. A failure of a server's tool is plain text. */
export function errorOf({ structuredContent, content = [] }: ToolResult): PmlError {
  const failure = errorInAnswer(structuredContent);
  if (failure) return failure;
  const text = content.flatMap((part) => part.text ?? []).join('\n');
  return new PmlError('tool_failed', text || JSON.stringify(structuredContent ?? content));
}
