/** A model on this machine that speaks in streams, in OpenAI's and Anthropic's protocol, and fails as it is told. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { after, TestContext } from 'node:test';
import type { Loose } from './clients.ts';

export interface ChatRequest {
  protocol: 'openai' | 'anthropic';
  headers: IncomingMessage['headers'];
  body: Loose;
  /** The names of the tools that it was offered. */
  tools: string[];
  /** The last message, as text: what a person said, or what a tool answered. */
  last: string;
}

export interface Turn {
  text?: string;
  /** Arguments that are a text are sent as they are, JSON or not. */
  calls?: { id?: string; name: string; args: object | string }[];
  /** The HTTP status of an error, which is sent instead of an answer. */
  status?: number;
  headers?: Record<string, string>;
  message?: string;
  /** Sent as it is, instead of an answer. */
  raw?: string;
  /** The fault after the text, instead of a proper end. */
  ends?: 'hang' | 'cut' | 'end' | 'garbage' | 'error';
  /** The tokens that it says it took. */
  usage?: { input: number; output: number };
  /** Why it stopped, in OpenAI's words. */
  finish?: string;
}

export interface ChatModel {
  /** The base URL of both protocols. */
  url: string;
  requests: ChatRequest[];
  say: (request: ChatRequest) => Turn | Promise<Turn>;
  /** Settles when the client has closed the connection of the last request. */
  closed: Promise<void>;
}

export async function startChatModel(
  t: Pick<TestContext, 'after'> | { after: typeof after },
): Promise<ChatModel> {
  const model: ChatModel = {
    url: '',
    requests: [],
    say: () => ({ text: 'Hello.' }),
    closed: Promise.resolve(),
  };
  const server = createServer((incoming, response) => void answer(model, incoming, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  model.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return model;
}

/** Says one turn after the other, and the last one again and again. */
export function inTurn(...turns: (Turn | ((request: ChatRequest) => Turn))[]): ChatModel['say'] {
  let at = 0;
  return (request) => {
    const turn = turns[Math.min(at++, turns.length - 1)] as Turn | ((request: ChatRequest) => Turn);
    return typeof turn === 'function' ? turn(request) : turn;
  };
}

async function answer(model: ChatModel, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const request = requestOf(incoming, JSON.parse(Buffer.concat(chunks).toString()));
  model.closed = once(response, 'close').then(() => {});
  model.requests.push(request);
  const turn = await model.say(request);
  if (turn.status !== undefined) {
    response.writeHead(turn.status, { 'content-type': 'application/json', ...turn.headers });
    const error = { type: 'some_error', message: turn.message ?? 'no' };
    response.end(JSON.stringify({ type: 'error', error }));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  if (turn.raw !== undefined) {
    response.end(turn.raw);
    return;
  }
  const send = (data: object | string, event?: string) =>
    response.write(
      `${event ? `event: ${event}\n` : ''}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`,
    );
  if (request.protocol === 'openai') sendOpenai(turn, send);
  else sendAnthropic(turn, (data) => send(data, data.type));
  if (turn.ends === 'hang') return;
  if (turn.ends === 'cut') {
    // After what was written has left, as when a provider crashes.
    response.write('', () => incoming.socket.destroy());
    return;
  }
  if (turn.ends === 'garbage') send('{"choices": [{"delta"');
  response.end();
}

const USAGE = { input: 100, output: 20 };

function sendOpenai(turn: Turn, send: (data: object | string) => void): void {
  const chunk = (delta: object, finish: string | null = null) =>
    send({
      id: 'c',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'm',
      choices: [{ index: 0, delta, finish_reason: finish }],
    });
  for (const piece of pieces(turn.text ?? '')) chunk({ role: 'assistant', content: piece });
  const calls = turn.calls ?? [];
  for (const [index, { id = `call_${index}`, name, args }] of calls.entries()) {
    const text = typeof args === 'string' ? args : JSON.stringify(args);
    chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] });
    for (const piece of pieces(text)) chunk({ tool_calls: [{ index, function: { arguments: piece } }] });
  }
  if (turn.ends === 'error') send({ error: { message: 'overloaded', type: 'server_error' } });
  if (turn.ends) return;
  chunk({}, turn.finish ?? (calls.length > 0 ? 'tool_calls' : 'stop'));
  const { input, output } = turn.usage ?? USAGE;
  const usage = { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
  send({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [], usage });
  send('[DONE]');
}

function sendAnthropic(turn: Turn, send: (data: { type: string; [key: string]: unknown }) => void): void {
  const usage = { input_tokens: USAGE.input, output_tokens: 1 };
  const message = { id: 'm', type: 'message', role: 'assistant', model: 'm', content: [], usage };
  send({ type: 'message_start', message: { ...message, stop_reason: null, stop_sequence: null } });
  let index = 0;
  const block = (content_block: object, deltas: object[]) => {
    send({ type: 'content_block_start', index, content_block });
    for (const delta of deltas) send({ type: 'content_block_delta', index, delta });
    send({ type: 'content_block_stop', index });
    index += 1;
  };
  if (turn.text)
    block(
      { type: 'text', text: '' },
      pieces(turn.text).map((text) => ({ type: 'text_delta', text })),
    );
  const calls = turn.calls ?? [];
  for (const { id = `toolu_${index}`, name, args } of calls) {
    const text = typeof args === 'string' ? args : JSON.stringify(args);
    const deltas = pieces(text).map((partial_json) => ({ type: 'input_json_delta', partial_json }));
    block({ type: 'tool_use', id, name, input: {} }, deltas);
  }
  if (turn.ends === 'error')
    send({ type: 'error', error: { type: 'overloaded_error', message: 'overloaded' } });
  if (turn.ends) return;
  const stop_reason = calls.length > 0 ? 'tool_use' : turn.finish === 'length' ? 'max_tokens' : 'end_turn';
  send({
    type: 'message_delta',
    delta: { stop_reason, stop_sequence: null },
    usage: { output_tokens: USAGE.output },
  });
  send({ type: 'message_stop' });
}

/** A text in two pieces, as streams cut it. */
function pieces(text: string): string[] {
  const half = Math.ceil(text.length / 2);
  return [text.slice(0, half), text.slice(half)].filter((piece) => piece !== '');
}

function requestOf({ url, headers }: IncomingMessage, body: Loose): ChatRequest {
  const protocol = /\/messages(\?|$)/.test(url ?? '') ? 'anthropic' : 'openai';
  const tools = (body.tools ?? []).map((tool: Loose) => tool.function?.name ?? tool.name);
  return { protocol, headers, body, tools, last: textOf(body.messages.at(-1)?.content) };
}

function textOf(content: Loose): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map((part: Loose) => part.text ?? textOf(part.content)).join('\n');
}
