import type { Log } from '../../log.ts';
import type { Redactor } from '../../secrets/index.ts';
import type { Queryable } from '../../store/index.ts';
import type { Embedder } from './embedder.ts';
import { openLocalModel } from './embedding-process.ts';
import { type EndpointOptions, openEndpoint } from './http-embedder.ts';
import { findLocalModel, installCommand } from './local-model.ts';
import { Vectors } from './vectors.ts';

/** `auto`: the model on this machine if its packages are installed. */
export type EmbeddingsSetting = 'auto' | 'none' | EndpointOptions;

/** The embedding models of one daemon. Workspaces with the same setting share one model. */
export class Embeddings {
  readonly #options: { home: string; db: Queryable; log: Log };
  readonly #open = new Map<string, Promise<Embedder>>();
  readonly #embedders = new Set<Embedder>();
  #hasTold = false;
  #isClosed = false;

  constructor(options: { home: string; db: Queryable; log: Log }) {
    this.#options = options;
  }

  /** Makes the vectors for one index; undefined if it is to use words alone. The model is loaded when entries come. */
  vectorsFor(setting: EmbeddingsSetting, redactor: Redactor): Vectors | undefined {
    const open = this.#openerOf(setting);
    if (!open) return undefined;
    const key = JSON.stringify(setting);
    const redact = (text: string, max: number) => redactor.text(text, max);
    return new Vectors({ ...this.#options, redact, open: () => this.#shared(key, open) });
  }

  /** Closes the models; pending calls fail. */
  close(): void {
    this.#isClosed = true;
    for (const embedder of this.#embedders) embedder.close();
    this.#embedders.clear();
    this.#open.clear();
  }

  #openerOf(setting: EmbeddingsSetting): (() => Promise<Embedder>) | undefined {
    if (setting === 'none') return undefined;
    if (setting !== 'auto') return () => openEndpoint(setting);
    const { home, log } = this.#options;
    const model = findLocalModel(home);
    if (model) return () => openLocalModel(model);
    if (!this.#hasTold)
      log.info(`discovery matches words only; to match meaning as well: ${installCommand(home)}`);
    this.#hasTold = true;
    return undefined;
  }

  #shared(key: string, open: () => Promise<Embedder>): Promise<Embedder> {
    const known = this.#open.get(key);
    if (known) return known;
    const opened = this.#watched(key, open);
    this.#open.set(key, opened);
    opened.catch(() => this.#open.delete(key));
    return opened;
  }

  /** Opens a model that closes after a failure, so that the next caller opens another. */
  async #watched(key: string, open: () => Promise<Embedder>): Promise<Embedder> {
    const embedder = await open();
    if (this.#isClosed) {
      embedder.close();
      throw new Error('PML is stopping');
    }
    this.#embedders.add(embedder);
    const embed: Embedder['embed'] = async (texts) => {
      try {
        return await embedder.embed(texts);
      } catch (error) {
        if (this.#embedders.delete(embedder)) this.#open.delete(key);
        embedder.close();
        throw error;
      }
    };
    return { ...embedder, embed };
  }
}
