import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { isJsonObject } from '../../json.ts';
import type { Embedder } from './embedder.ts';
import type { LocalModel } from './local-model.ts';
import { WordPiece } from './word-piece.ts';

const require = createRequire(import.meta.url);
const MODEL_FILE = 'onnx/model_quantized.onnx';
export const LOCAL_MODEL = 'all-MiniLM-L6-v2 int8';
/** More tokens cost more time; descriptions say what matters first. */
const MAX_TOKENS = 96;

/** The part of the runtime, an optional package, that PML uses. */
interface Runtime {
  InferenceSession: { create(path: string, options: object): Promise<Session> };
  Tensor: new (type: 'int64', data: BigInt64Array, dimensions: readonly number[]) => object;
}
interface Session {
  inputNames: readonly string[];
  outputNames: readonly string[];
  run(
    inputs: Record<string, object>,
  ): Promise<Record<string, { data: Float32Array; dims: readonly number[] }>>;
}

/** Loads a sentence model of the BERT family. It computes in this thread, which it blocks meanwhile. */
export async function openOnnx({ runtime: folder, weights }: LocalModel): Promise<Embedder> {
  const tokens = await readVocabulary(join(weights, 'tokenizer.json'));
  const runtime = require(folder) as Runtime;
  // One thread, so that the vectors of many tools leave the machine to others.
  const options = { intraOpNumThreads: 1, interOpNumThreads: 1 };
  const session = await runtime.InferenceSession.create(join(weights, MODEL_FILE), options);
  const embed = (texts: readonly string[]) => run(runtime, session, tokens, texts);
  const [first] = await embed(['dimensions']);
  return { model: LOCAL_MODEL, dimensions: first?.length ?? 0, embed, close: () => {} };
}

async function readVocabulary(file: string): Promise<WordPiece> {
  const { model } = JSON.parse(await readFile(file, 'utf8')) as { model?: unknown };
  if (!isJsonObject(model) || !isJsonObject(model.vocab)) throw new Error(`${file} has no vocabulary`);
  return new WordPiece(new Map(Object.entries(model.vocab as Record<string, number>)));
}

async function run(
  { Tensor }: Runtime,
  session: Session,
  tokens: WordPiece,
  texts: readonly string[],
): Promise<Float32Array[]> {
  const encoded = texts.map((text) => tokens.encode(text, MAX_TOKENS));
  const width = Math.max(...encoded.map(({ length }) => length));
  const shape = [texts.length, width];
  const ids = new BigInt64Array(texts.length * width);
  const mask = new BigInt64Array(texts.length * width);
  for (const [row, numbers] of encoded.entries()) {
    for (const [at, number] of numbers.entries()) {
      ids[row * width + at] = BigInt(number);
      mask[row * width + at] = 1n;
    }
  }
  const given: Record<string, BigInt64Array> = {
    input_ids: ids,
    attention_mask: mask,
    token_type_ids: new BigInt64Array(ids.length),
  };
  const inputs = session.inputNames.map(
    (name) => [name, new Tensor('int64', given[name] ?? ids, shape)] as const,
  );
  const output = (await session.run(Object.fromEntries(inputs)))[session.outputNames[0] ?? ''];
  if (output?.dims.length !== 3) throw new Error('the model gives no vector for each token');
  const dimensions = output.dims[2] as number;
  return encoded.map(({ length }, row) => average(output.data, row * width * dimensions, length, dimensions));
}

/** Sums the vectors of a text's tokens: the sum has the direction of the average, and only that matters. */
function average(data: Float32Array, start: number, tokens: number, dimensions: number): Float32Array {
  const sum = new Float32Array(dimensions);
  for (let token = 0; token < tokens; token++) {
    for (let at = 0; at < dimensions; at++)
      sum[at] = (sum[at] as number) + (data[start + token * dimensions + at] as number);
  }
  return sum;
}
