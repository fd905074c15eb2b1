import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { anthropic } from './anthropic.ts';
import { gemini } from './gemini.ts';
import { openaiChat } from './openai-chat.ts';
import { openaiResponses } from './openai-responses.ts';
import type { Reply, StreamEvent, Turn } from './turn.ts';

const PROTOCOLS = [anthropic, openaiResponses, openaiChat, gemini];

/** A model on loopback that says what `reply` returns. Requests without any tools (titles, routing) get a word. */
export async function startStandIn(reply: (turn: Turn) => Promise<Reply>) {
  let count = 0;
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url ?? '';
    const protocol = PROTOCOLS.find((one) => one.matches(path));
    if (request.method !== 'POST' || !protocol) return response.writeHead(404).end('{}');
    const body = JSON.parse(await textOf(request));
    const turn = protocol.read(body);
    const isMain = turn.tools.length > 0;
    count += 1;
    const answered = protocol.answer(body, isMain ? await reply(turn) : { text: 'ok' }, count);
    if (!Array.isArray(answered)) return send(response, 'application/json', JSON.stringify(answered));
    // Gemini's `generateContent` expects the single event as plain JSON.
    if (/:generateContent/.test(path))
      return send(response, 'application/json', JSON.stringify(answered[0]?.data));
    send(response, 'text/event-stream', answered.map(lineOf).join(''));
  };
  const server = createServer((request, response) => {
    answer(request, response).catch((error: Error) => response.writeHead(500).end(error.stack));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function send(response: ServerResponse, type: string, text: string): void {
  response.writeHead(200, { 'content-type': type }).end(text);
}

function lineOf({ event, data }: StreamEvent): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  return `${event ? `event: ${event}\n` : ''}data: ${text}\n\n`;
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
}
