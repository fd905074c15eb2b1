import { textForGuest } from './guest-json.ts';
import type { HostJob } from './host-job.ts';
import { type FailureKind, type Frame, type FromChild, nestedTooDeep } from './protocol.ts';
import {
  MAX_TRANSCRIPTS_BYTES,
  type ReplayLimits,
  type ReplayRequest,
  type Transcript,
} from './replay-request.ts';
import type { SandboxProcess } from './sandbox-process.ts';
import { checkFailure, checkTranscripts } from './validate-child-messages.ts';

/** Transcripts by program and world, or why there are none. */
export type ReplayOutcome = Transcript[][] | { failed: string };

let lastReplay = 0;

/** The host's side of one replay: one message to a process, and one back. The process has no way to make a call. */
export class HostReplay implements HostJob {
  /** Runs have positive ids. */
  readonly #id = --lastReplay;
  readonly #request: ReplayRequest;
  readonly #limits: ReplayLimits & { memoryMb: number };
  readonly #signal: AbortSignal | undefined;
  readonly #onEnd: (outcome: ReplayOutcome, mustKill: boolean) => void;
  readonly #body: string | undefined;
  readonly #deadline: NodeJS.Timeout;
  readonly #cancel = () => this.fail('cancelled', 'The replay was cancelled.');
  #hasBegun = false;
  #ended = false;

  constructor(
    request: ReplayRequest,
    limits: ReplayLimits & { memoryMb: number },
    signal: AbortSignal | undefined,
    onEnd: (outcome: ReplayOutcome, mustKill: boolean) => void,
  ) {
    this.#request = request;
    this.#limits = limits;
    this.#signal = signal;
    this.#onEnd = onEnd;
    this.#body = textForGuest(request);
    const late = () => this.fail('timeout', `The replay took longer than ${limits.wallMs} ms.`);
    this.#deadline = setTimeout(late, limits.wallMs);
    signal?.addEventListener('abort', this.#cancel);
  }

  get refusal(): string | undefined {
    return this.#body === undefined ? nestedTooDeep('A value of the replay') : undefined;
  }

  get bytes(): number {
    return this.#body?.length ?? 0;
  }

  begin(process: SandboxProcess): void {
    const listener = {
      frame: (frame: Frame<FromChild>) => this.#onFrame(frame),
      exit: () => this.fail('cancelled', 'The sandbox process of the replay ended.'),
    };
    process.listen(listener, MAX_REPLY_BYTES);
    process.send({ type: 'replay', run: this.#id, limits: this.#limits }, this.#body);
  }

  abandon(): void {
    this.#ended = true;
    clearTimeout(this.#deadline);
    this.#signal?.removeEventListener('abort', this.#cancel);
  }

  /** The process may still compute, whatever the reason is. */
  fail(_kind: FailureKind, message: string): void {
    this.#end({ failed: message }, true);
  }

  #onFrame({ head, body }: Frame<FromChild>): void {
    if (head.type === 'ready' || head.run !== this.#id) throw new Error(`unexpected ${head.type}`);
    if (head.type === 'begun' && !this.#hasBegun) this.#hasBegun = true;
    else if (head.type === 'end' && head.failure) {
      const { kind, message } = checkFailure(head.failure);
      this.fail(kind, message);
    } else if (head.type === 'replayed') {
      const { programs, worlds } = this.#request;
      this.#end(checkTranscripts(body, programs.length, worlds.length, this.#limits), false);
    } else throw new Error(`unexpected ${head.type}`);
  }

  #end(outcome: ReplayOutcome, mustKill: boolean): void {
    if (this.#ended) return;
    this.abandon();
    this.#onEnd(outcome, mustKill);
  }
}

/** Transcripts that were left out still take some bytes each. */
const MAX_REPLY_BYTES = MAX_TRANSCRIPTS_BYTES + 1024 * 1024;
