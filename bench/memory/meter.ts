import type { Result } from '../support/clients.ts';
import type { Bed } from './bed.ts';
import type { DirectCall, Use } from './procedures.ts';
import { tokensOfAnswer, tokensOfCall } from './token-count.ts';

/** The cost of one use. Tokens are those that the model writes and reads. */
export interface Cost {
  written: number;
  read: number;
  roundTrips: number;
  milliseconds: number;
}

/** Adds up what a use costs. */
export class Meter {
  readonly cost: Cost = { written: 0, read: 0, roundTrips: 0, milliseconds: 0 };
  readonly #bed: Bed;

  constructor(bed: Bed, use: Use) {
    this.#bed = bed;
    bed.begin(use);
  }

  async direct(call: DirectCall): Promise<void> {
    await this.#count(`${call.server}__${call.tool}`, call.args, () => this.#bed.direct(call));
  }

  async ask(name: string, args: Record<string, unknown>): Promise<Result> {
    const { structuredContent } = await this.#count(name, args, () => this.#bed.ask(name, args));
    return structuredContent;
  }

  async #count(name: string, args: object, call: () => Promise<Result>): Promise<Result> {
    const began = performance.now();
    const answer = await call();
    this.cost.milliseconds += performance.now() - began;
    if (answer.isError) throw new Error(`${name} ${JSON.stringify(args)}: ${JSON.stringify(answer.content)}`);
    this.cost.roundTrips += 1;
    this.cost.written += tokensOfCall(name, args);
    this.cost.read += tokensOfAnswer(answer.content);
    return answer;
  }
}
