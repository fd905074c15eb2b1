import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Config, inputFilesOf } from '../config/index.ts';
import { messageOf } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import type { Log } from '../log.ts';
import {
  type Asked,
  MAX_START_BYTES,
  readStart,
  sealOf,
  startFile,
  startFolder,
} from '../remembered-answers.js';
import { VERSION } from '../version.ts';
import type { Env } from './resources.ts';

/** How many configs and identities are remembered; the one that was used longest ago goes first. */
const MAX_REMEMBERED = 50;

/** How a client asked to be served. */
export interface SessionRequest {
  env: Env;
  agent?: string | undefined;
  capability?: string | undefined;
}

type Answers = Record<string, JsonObject>;

interface Known {
  readonly seal: string;
  readonly answers: Answers;
  readonly text: string;
}

/** Stores the first answers that clients got, for the next `pml serve` that finds no daemon. */
export class RememberedAnswers {
  readonly #home: string;
  readonly #log: Log;
  /** Writes happen one after the other, so that the latest one stays. */
  #writing: Promise<void> = Promise.resolve();
  /** The content that each file has, or will have. */
  readonly #known = new Map<string, Known>();

  constructor(home: string, log: Log) {
    this.#home = home;
    this.#log = log;
  }

  /** Returns a function that remembers answers, by their keys, for clients that have the same config and ask for the same. */
  writerFor(
    config: Config,
    request: SessionRequest,
    usedVariables: ReadonlySet<string>,
  ): (answers: ReadonlyMap<string, JsonObject>) => void {
    const { agent, capability, env } = request;
    const asked: Asked = { file: config.file ?? undefined, agent, capability };
    const inputs = { files: inputFilesOf(config, this.#home), env: [...usedVariables].sort() };
    // Sealed at once, with the inputs that the session has, not with later ones.
    const seal = sealOf(this.#home, VERSION, asked, inputs, env);
    if (seal === undefined) return () => {};
    const file = startFile(this.#home, asked);
    return (fresh) => {
      const answers = { ...this.#answersOf(file, seal, asked, env), ...Object.fromEntries(fresh) };
      const text = JSON.stringify({ ...inputs, seal, answers });
      if (text.length > MAX_START_BYTES || this.#known.get(file)?.text === text) return;
      this.#known.set(file, { seal, answers, text });
      this.#writing = this.#writing
        .then(() => this.#write(file, text))
        .catch((error) => this.#log.debug(`cannot remember how a client was answered: ${messageOf(error)}`));
    };
  }

  /** Returns the answers stored so far, which clients of the other era and of other versions need. */
  #answersOf(file: string, seal: string, asked: Asked, env: Env): Answers {
    const known = this.#known.get(file);
    if (known) return known.seal === seal ? known.answers : {};
    return readStart(this.#home, VERSION, asked, env) ?? {};
  }

  /** Settles once all is written. */
  async close(): Promise<void> {
    await this.#writing;
  }

  async #write(file: string, text: string): Promise<void> {
    const folder = startFolder(this.#home);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const draft = `${file}.${randomUUID()}`;
    try {
      await writeFile(draft, text, { mode: 0o600, flag: 'wx' });
      await rename(draft, file);
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
    await this.#prune(folder);
  }

  async #prune(folder: string): Promise<void> {
    const names = await readdir(folder);
    if (names.length <= MAX_REMEMBERED) return;
    const paths = names.map((name) => join(folder, name));
    const aged = await Promise.all(paths.map(async (path) => ({ path, at: (await stat(path)).mtimeMs })));
    aged.sort((a, b) => b.at - a.at);
    for (const { path } of aged.slice(MAX_REMEMBERED)) {
      this.#known.delete(path);
      await rm(path, { force: true });
    }
  }
}
