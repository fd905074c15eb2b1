/** An embedding model's endpoint on this machine, which speaks the protocol of OpenAI. Its vectors count meanings. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { after, TestContext } from 'node:test';

export interface EmbeddingServer {
  url: string;
  /** Every text it was sent, and every key. */
  texts: string[];
  keys: Set<string | undefined>;
  /** Requests that it has not answered. */
  waiting: number;
  /** While true, it answers nobody. */
  isSlow: boolean;
}

/** Words that mean the same to it. */
const MEANINGS = [/email|correspondence|dispatch/, /invoice|receivable/, /parcel|freight|forward/];
const NOISE = 61;

/** How it answers under `/<fault>/v1`. */
const FAULTS: Record<string, (response: ServerResponse, input: string[]) => void> = {
  error: (response) => response.writeHead(500).end('{}'),
  garbage: (response) => response.end('<html>'),
  hollow: (response) => response.end(JSON.stringify({ data: [null] })),
  short: (response) => response.end(JSON.stringify({ data: [] })),
  flood: (response) => response.end(`"${'x'.repeat(4_000_000)}"`),
  cut: (response) => response.destroy(),
  hang: () => {},
  redirect: (response) => response.writeHead(307, { location: '/stolen/embeddings' }).end(),
  dimension: (response, input) =>
    response.end(
      JSON.stringify(answerTo(input, (text) => (text === 'dimensions' ? vectorOf(text) : [1, 2]))),
    ),
};
export const FAULT_NAMES = Object.keys(FAULTS);

export async function startEmbeddingServer(
  t: Pick<TestContext, 'after'> | { after: typeof after },
): Promise<EmbeddingServer> {
  const state: EmbeddingServer = { url: '', texts: [], keys: new Set(), waiting: 0, isSlow: false };
  const server = createServer((request, response) => void serve(state, request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  state.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return state;
}

async function serve(
  state: EmbeddingServer,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  let body = '';
  for await (const chunk of request) body += chunk;
  const { input } = JSON.parse(body) as { input: string[] };
  const [, first = ''] = request.url?.split('/') ?? [];
  const fault = FAULTS[first];
  if (fault) return fault(response, input);
  state.texts.push(...input);
  state.keys.add(request.headers.authorization);
  if (state.isSlow) state.waiting += 1;
  else response.end(JSON.stringify(answerTo(input, vectorOf)));
}

function answerTo(input: string[], vector: (text: string) => number[]): object {
  return { data: input.map((text, index) => ({ index, embedding: vector(text) })).reverse() };
}

/** Texts that share no meaning get directions that have nothing in common. */
function vectorOf(text: string): number[] {
  const lower = text.toLowerCase();
  const meanings = MEANINGS.map((meaning) => (meaning.test(lower) ? 8 : 0));
  const hash = createHash('sha512').update(text).digest();
  return [...meanings, ...Array.from(hash.subarray(0, NOISE), (byte) => (byte - 127.5) / 255)];
}
