import { z } from 'zod';
import type { Embedder } from './embedder.ts';

export interface EndpointOptions {
  /** The base URL of an OpenAI-compatible API, for example `http://127.0.0.1:11434/v1`. */
  url: string;
  model: string;
  apiKey?: string;
}

const TIMEOUT_MS = 30_000;
const MAX_ANSWER = 32 * 1024 * 1024;

const answerSchema = z.object({
  data: z.array(
    z.object({ index: z.int().min(0).optional(), embedding: z.array(z.number()).min(1).max(8192) }),
  ),
});

/** Opens an embedding endpoint. Asks it once, to learn the length of its vectors. */
export async function openEndpoint(options: EndpointOptions): Promise<Embedder> {
  const [first] = await ask(options, ['dimensions']);
  const dimensions = first?.length ?? 0;
  return {
    model: `${options.url} ${options.model}`,
    dimensions,
    embed: async (texts) => {
      const vectors = await ask(options, texts);
      const other = vectors.find(({ length }) => length !== dimensions);
      if (other) throw new Error(`a vector has ${other.length} dimensions, not ${dimensions}`);
      return vectors;
    },
  };
}

async function ask(
  { url, model, apiKey }: EndpointOptions,
  input: readonly string[],
): Promise<Float32Array[]> {
  const response = await fetch(`${url.replace(/\/$/, '')}/embeddings`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}) },
    body: JSON.stringify({ model, input, encoding_format: 'float' }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (!response.ok) throw new Error(`the endpoint answered ${response.status}`);
  const { data } = answerSchema.parse(JSON.parse(await readBounded(response)));
  if (data.length !== input.length) throw new Error(`${data.length} vectors for ${input.length} texts`);
  const inOrder = data.toSorted((a, b) => (a.index ?? 0) - (b.index ?? 0));
  return inOrder.map(({ embedding }) => Float32Array.from(embedding));
}

async function readBounded(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > MAX_ANSWER) throw new Error('the answer is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
