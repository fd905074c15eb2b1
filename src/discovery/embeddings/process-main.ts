/** The process that computes vectors. It ends with the process that started it. */
import { messageOf } from '../../errors.ts';
import type { EmbeddingAnswer, EmbeddingRequest } from './embedding-process.ts';
import type { LocalModel } from './local-model.ts';
import { openOnnx } from './onnx-embedder.ts';

process.once('disconnect', () => process.exit());

const send = (answer: EmbeddingAnswer) => void process.send?.(answer);

try {
  const embedder = await openOnnx(JSON.parse(process.argv[2] ?? '{}') as LocalModel);
  process.on('message', ({ id, texts }: EmbeddingRequest) => {
    embedder.embed(texts).then(
      (vectors) => send({ id, vectors }),
      (error) => send({ id, error: messageOf(error) }),
    );
  });
  send({ id: 0, vectors: await embedder.embed(['dimensions']) });
} catch (error) {
  send({ id: 0, error: messageOf(error) });
}
