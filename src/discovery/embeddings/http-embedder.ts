import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ChunkList } from '../../chunk-list.ts';
import { isJsonObject } from '../../json.ts';
import type { Embedder } from './embedder.ts';

export interface EndpointOptions {
  /** The base URL of an OpenAI-compatible API, for example `http://127.0.0.1:11434/v1`. */
  url: string;
  model: string;
  apiKey?: string | undefined;
}

const TIMEOUT_MS = 30_000;
/** For each text; the vectors of the largest models have 4096 numbers of 22 characters. */
const MAX_ANSWER = 128 * 1024;
const MAX_DIMENSIONS = 8192;

/** Opens an embedding endpoint. Asks it once, to learn the length of its vectors. */
export async function openEndpoint(options: EndpointOptions): Promise<Embedder> {
  const closing = new AbortController();
  const [first] = await ask(options, ['dimensions'], closing.signal);
  const dimensions = first?.length ?? 0;
  return {
    model: nameOf(options),
    dimensions,
    embed: async (texts) => {
      const vectors = await ask(options, texts, closing.signal);
      const other = vectors.find(({ length }) => length !== dimensions);
      if (other) throw new Error(`a vector has ${other.length} dimensions, not ${dimensions}`);
      return vectors;
    },
    close: () => closing.abort(),
  };
}

/** The name is stored with the vectors. The address is hashed, since it may hold a key. */
function nameOf({ url, model }: EndpointOptions): string {
  return `${createHash('sha256').update(url).digest('hex').slice(0, 16)} ${model.slice(0, 200)}`;
}

async function ask(
  { url, model, apiKey }: EndpointOptions,
  input: readonly string[],
  closing: AbortSignal,
): Promise<Float32Array[]> {
  const response = await fetch(addressOf(url), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}) },
    body: JSON.stringify({ model, input, encoding_format: 'float' }),
    signal: AbortSignal.any([closing, AbortSignal.timeout(TIMEOUT_MS)]),
    // The texts go where the config says, and nowhere else.
    redirect: 'error',
  });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`the endpoint answered ${response.status}`);
  }
  const answer: unknown = JSON.parse(await readBounded(response, (1 + input.length) * MAX_ANSWER));
  // Parsing the answer took a while: let other work run first.
  await nextTurn();
  return vectorsOf(answer, input.length);
}

function addressOf(base: string): URL {
  const url = new URL(base);
  url.pathname = `${url.pathname.replace(/\/$/, '')}/embeddings`;
  return url;
}

function vectorsOf(answer: unknown, count: number): Float32Array[] {
  const data = isJsonObject(answer) ? answer.data : undefined;
  if (!Array.isArray(data)) throw new Error('the answer holds no vectors');
  if (data.length !== count) throw new Error(`${data.length} vectors for ${count} texts`);
  const vectors: Float32Array[] = [];
  for (const [at, one] of data.entries()) {
    const { index = at, embedding } = isJsonObject(one) ? one : {};
    if (!isVector(embedding)) throw new Error('the answer holds something that is no vector');
    vectors[Number(index)] = Float32Array.from(embedding);
  }
  for (let at = 0; at < count; at++) if (!vectors[at]) throw new Error(`there is no vector of text ${at}`);
  return vectors.slice(0, count);
}

function isVector(value: unknown): value is number[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_DIMENSIONS) return false;
  return value.every((one) => typeof one === 'number' && Number.isFinite(Math.fround(one)));
}

async function readBounded(response: Response, max: number): Promise<string> {
  const chunks = new ChunkList();
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > max) throw new Error('the answer is too large');
    chunks.add(chunk);
  }
  return chunks.joined().toString('utf8');
}
