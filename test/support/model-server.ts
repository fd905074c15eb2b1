/** A model's provider on this machine: speaks Anthropic's messages and OpenAI's chat completions. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { after, TestContext } from 'node:test';
import type { Loose } from './clients.ts';

export interface ModelRequest {
  path: string;
  headers: IncomingMessage['headers'];
  body: Loose;
  /** The text of the system prompt and of the user's message. */
  system: string;
  user: string;
  /** The programs that are to be named. */
  programs: Loose[];
}

/** Returns the text that the model says; undefined to never answer; a number for an HTTP status. */
export type Say = (request: ModelRequest) => string | number | undefined | Promise<string>;

export interface ModelServer {
  url: string;
  requests: ModelRequest[];
  say: Say;
}

/** Names every program after its number, as a model that does what it is asked would. */
export const nameAll = ({ programs }: ModelRequest): string =>
  JSON.stringify({
    programs: programs.map(({ number, intent, parameters }) => ({
      number,
      name: `model:${intent.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_')}`.slice(0, 50),
      description: `Says what "${intent}" does.`,
      tags: ['model', 'Made'],
      parameters: Object.keys(parameters).map((name) => ({ name, description: `The ${name} of it` })),
    })),
  });

export async function startModelServer(
  t: Pick<TestContext, 'after'> | { after: typeof after },
): Promise<ModelServer> {
  const model: ModelServer = { url: '', requests: [], say: nameAll };
  const server = createServer((incoming, response) => void answer(model, incoming, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  model.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return model;
}

async function answer(
  model: ModelServer,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const request = requestOf(incoming, JSON.parse(Buffer.concat(chunks).toString()));
  model.requests.push(request);
  const said = await model.say(request);
  if (said === undefined) return;
  response.setHeader('content-type', 'application/json');
  if (typeof said === 'number') {
    response.statusCode = said;
    response.end(JSON.stringify({ type: 'error', error: { type: 'some_error', message: 'no' } }));
    return;
  }
  response.end(
    JSON.stringify(request.path.endsWith('/messages') ? anthropicAnswer(said) : openaiAnswer(said)),
  );
}

function requestOf({ url, headers }: IncomingMessage, body: Loose): ModelRequest {
  const text = (content: Loose): string =>
    typeof content === 'string' ? content : content.map((part: Loose) => part.text).join('');
  const messages: Loose[] = body.messages;
  const system = text(body.system ?? messages.find(({ role }) => role === 'system')?.content ?? '');
  const user = text(messages.find(({ role }) => role === 'user')?.content ?? '');
  const programs = JSON.parse(user.slice(user.indexOf('Programs:\n') + 10));
  return { path: url ?? '', headers, body, system, user, programs };
}

function anthropicAnswer(text: string): object {
  const usage = { input_tokens: 1000, output_tokens: 500 };
  const content = [{ type: 'text', text }];
  return { id: 'm', type: 'message', role: 'assistant', model: 'm', content, stop_reason: 'end_turn', usage };
}

function openaiAnswer(content: string): object {
  const usage = { prompt_tokens: 1000, completion_tokens: 500, total_tokens: 1500 };
  const choices = [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }];
  return { id: 'c', object: 'chat.completion', created: 1, model: 'm', choices, usage };
}
