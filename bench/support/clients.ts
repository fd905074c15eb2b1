import { spawn } from 'node:child_process';
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import { Client as SdkClient } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { Era } from '../fixtures/echo.ts';

// biome-ignore lint/suspicious/noExplicitAny: a result is whatever the method says
export type Result = any;

export interface Client {
  request(method: string, params: object): Promise<Result>;
  close(): Promise<void>;
}

export interface Command {
  command: string;
  args: string[];
  env?: Record<string, string>;
  cwd?: string;
}

const INITIALIZE = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'bench', version: '1' },
};
const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** A minimal client: it writes a line and waits for the line that answers it. */
export async function lineClient({ command, args, env, cwd }: Command, era: Era): Promise<Client> {
  const child = spawn(command, args, { env: env ?? {}, cwd, stdio: 'pipe' });
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    complaint = (complaint + chunk).slice(-2000);
  });
  const waiting = new Map<number, PromiseWithResolvers<Result>>();
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  void ended.then(() => {
    for (const { reject } of waiting.values()) reject(new Error(`${args.join(' ')} ended: ${complaint}`));
  });
  let held = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (held + chunk).split('\n');
    held = lines.pop() as string;
    for (const line of lines) {
      const { id, result, error } = JSON.parse(line) as { id?: number; result?: Result; error?: object };
      const waiter = id === undefined ? undefined : waiting.get(id);
      if (id === undefined || !waiter) continue;
      waiting.delete(id);
      if (error) waiter.reject(new Error(JSON.stringify(error)));
      else waiter.resolve(result);
    }
  });
  let last = 0;
  const send = (method: string, params: object) => {
    const id = ++last;
    const waiter = Promise.withResolvers<Result>();
    waiting.set(id, waiter);
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params: paramsOf(era, params) })}\n`);
    return waiter.promise;
  };
  if (era === 'legacy') {
    await send('initialize', INITIALIZE);
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
  }
  return {
    request: send,
    close: () => {
      child.stdin.end();
      return ended;
    },
  };
}

/** A keep-alive client on node:http, the cheapest client that Node offers. */
export async function httpClient(url: string, era: Era): Promise<Client> {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  let session: string | undefined;
  let last = 0;
  const send = async (method: string, params: object, id?: number): Promise<Result> => {
    const body = JSON.stringify({ jsonrpc: '2.0', ...(id && { id }), method, params: paramsOf(era, params) });
    const { name } = params as { name?: string };
    const options = {
      method: 'POST',
      agent,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'content-length': Buffer.byteLength(body),
        'mcp-protocol-version': era === 'modern' ? '2026-07-28' : '2025-11-25',
        ...(era === 'modern' && { 'mcp-method': method, ...(name && { 'mcp-name': name }) }),
        ...(session && { 'mcp-session-id': session }),
      },
    };
    const response = await responseTo(() => request(url, options), body);
    session ??= response.headers['mcp-session-id'] as string | undefined;
    const text = await textOf(response);
    if (id === undefined) return undefined;
    return resultIn(text, response, id);
  };
  if (era === 'legacy') {
    await send('initialize', INITIALIZE, ++last);
    await send('notifications/initialized', {});
  }
  return {
    request: (method, params) => send(method, params, ++last),
    close: async () => {
      const headers = session && { 'mcp-session-id': session };
      if (headers)
        await textOf(await responseTo(() => request(url, { method: 'DELETE', agent, headers }), ''));
      agent.destroy();
    },
  };
}

/** The SDK's client, as most programs use it. */
export async function sdkClient({ command, args, env, cwd }: Command): Promise<Client> {
  const client = new SdkClient({ name: 'bench', version: '1' });
  await client.connect(
    new StdioClientTransport({ command, args, env: env ?? {}, ...(cwd && { cwd }), stderr: 'ignore' }),
  );
  return {
    request: (_method, params) => client.callTool(params as { name: string }),
    close: () => client.close(),
  };
}

function paramsOf(era: Era, params: object): object {
  return era === 'modern' ? { ...params, _meta: ENVELOPE } : params;
}

/** Sends the request again if the server closed the kept connection at that moment. */
function responseTo(open: () => ClientRequest, body: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = open();
    sent.once('response', resolve).once('error', (error: NodeJS.ErrnoException) => {
      if (sent.reusedSocket && error.code === 'ECONNRESET') resolve(responseTo(open, body));
      else reject(error);
    });
    sent.end(body);
  });
}

function textOf(response: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => {
      text += chunk;
    });
    response.once('end', () => resolve(text)).once('error', reject);
  });
}

function resultIn(text: string, { statusCode, headers }: IncomingMessage, id: number): Result {
  const streamed = headers['content-type']?.startsWith('text/event-stream');
  const messages = streamed ? text.split('\n').filter((line) => /^data: ?\{/.test(line)) : [text];
  for (const message of messages) {
    const { id: of, result, error } = JSON.parse(streamed ? message.slice(5) : message);
    if (error) throw new Error(`${statusCode}: ${JSON.stringify(error)}`);
    if (of === id) return result;
  }
  throw new Error(`${statusCode}: no answer in ${JSON.stringify(text.slice(0, 500))}`);
}
