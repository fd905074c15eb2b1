import type { Config } from '../../config/index.ts';
import { findLocalModel, installCommand, openEndpoint, openLocalModel } from '../../discovery/index.ts';
import { PmlError } from '../../errors.ts';

/** Says whether discovery uses embeddings, and how to install a model. Without one it matches words: no failure. */
export async function checkEmbeddings({ home, discovery }: Pick<Config, 'home' | 'discovery'>) {
  const { embeddings } = discovery;
  if (embeddings === 'none') return { value: true, detail: 'switched off; discovery goes by words' };
  const model = embeddings === 'auto' ? findLocalModel(home) : undefined;
  if (embeddings === 'auto' && !model)
    return {
      value: true,
      detail: `none; discovery goes by words. For meaning, too: ${installCommand(home)}`,
    };
  try {
    const opened = await (model
      ? openLocalModel(model)
      : openEndpoint(embeddings as Exclude<typeof embeddings, string>));
    opened.close();
    const where =
      typeof embeddings === 'object'
        ? `${embeddings.model} of ${embeddings.url}`
        : `${opened.model}, on this machine`;
    return { value: true, detail: `in use: ${where}` };
  } catch (error) {
    throw new PmlError('upstream_unreachable', `no model can be used: ${(error as Error).message}`, {
      hint: 'Discovery goes by words meanwhile. "discovery": { "embeddings": "none" } switches embeddings off.',
    });
  }
}
