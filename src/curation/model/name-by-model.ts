import type { ModelChoice } from '../../models/index.ts';
import type { Redactor } from '../../secrets/index.ts';
import type { Nameable } from '../names/nameable.ts';
import { ModelThread } from './model-thread.ts';
import { BATCH, type Prompt, promptFor } from './prompt.ts';
import { type ModelWords, readAnswer } from './read-answer.ts';

export interface ModelLimits {
  /** Tokens that one curation may use, sent and received. */
  readonly maxTokens: number;
  readonly timeoutMs: number;
}

/** Enough for five programs. */
const OUTPUT_TOKENS = 2000;
/** A token has at least this many characters in most texts. */
const CHARACTERS_PER_TOKEN = 3;
/** The model is asked once more if its answer cannot be used. */
const ATTEMPTS = 2;

/** Asks a model for the names of one batch after the other, within a budget of tokens. */
export class ModelNamer {
  readonly #thread: ModelThread;
  readonly #limits: ModelLimits;
  readonly #redactor: Redactor;
  #tokens = 0;
  /** The reason, once asking again would be useless. */
  #givenUp: string | undefined;

  constructor(choice: ModelChoice, limits: ModelLimits, redactor: Redactor) {
    this.#thread = new ModelThread(choice);
    this.#limits = limits;
    this.#redactor = redactor;
  }

  /** Returns the model's words for the capabilities of a batch, or why there are none. */
  async name(
    batch: readonly Nameable[],
    existing: readonly string[],
    signal?: AbortSignal,
  ): Promise<ReadonlyMap<string, ModelWords> | { why: string }> {
    if (batch.length > BATCH) throw new Error(`A batch has at most ${BATCH} capabilities`);
    const prompt = promptFor(batch, existing, this.#redactor);
    let why = this.#givenUp ?? this.#overBudget(prompt);
    for (let attempt = 0; attempt < ATTEMPTS && why === undefined; attempt++) {
      const request = { ...prompt, maxOutputTokens: OUTPUT_TOKENS, isStrict: attempt === 0 };
      const reply = await this.#thread.ask({ ...request, timeoutMs: this.#limits.timeoutMs }, signal);
      this.#tokens += reply.tokens || estimate(prompt);
      const words = 'answer' in reply ? readAnswer(reply.answer, batch) : undefined;
      if (words) return words;
      const problem = 'problem' in reply ? reply.problem : 'the model did not answer what it was asked for';
      if ('problem' in reply && reply.isFinal) this.#givenUp = problem;
      if (attempt === ATTEMPTS - 1 || this.#givenUp !== undefined) why = problem;
      else why = this.#overBudget(prompt);
    }
    return { why: why as string };
  }

  close(): Promise<void> {
    return this.#thread.close();
  }

  #overBudget(prompt: Prompt): string | undefined {
    const { maxTokens } = this.#limits;
    const isOver = this.#tokens + estimate(prompt) + OUTPUT_TOKENS > maxTokens;
    return isOver ? `the budget of ${maxTokens} tokens (curation.maxTokens) is used up` : undefined;
  }
}

function estimate({ system, user }: Prompt): number {
  return Math.ceil((system.length + user.length) / CHARACTERS_PER_TOKEN);
}
