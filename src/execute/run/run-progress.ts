import type { JsonObject } from '../../json.ts';
import { cutText } from '../../json-size.ts';

/** In characters. A callee's progress message is one line for a person. */
const MAX_MESSAGE = 500;

/**
 * Tells a client how far its run is: each call as it begins, by name and number, and what the callee reports of its own progress.
 * All calls are numbered in one sequence, because the progress of a request must grow.
 */
export class RunProgress {
  readonly #tell: (progress: JsonObject) => void;
  #told = 0;
  #calls = 0;

  constructor(tell: (progress: JsonObject) => void) {
    this.#tell = tell;
  }

  /** Reports that a call begins. Returns the listener for the callee's own progress. */
  began(name: string): (progress: JsonObject) => void {
    this.#calls += 1;
    this.#next(`call ${this.#calls}: ${name}`);
    return ({ progress, total, message }) => {
      const reached = total === undefined ? `${progress}` : `${progress} of ${total}`;
      const said = message === undefined ? '' : `${cutText(String(message), MAX_MESSAGE)} / `;
      this.#next(`${name}: ${said}${reached}`);
    };
  }

  #next(message: string): void {
    this.#told += 1;
    this.#tell({ progress: this.#told, message });
  }
}
