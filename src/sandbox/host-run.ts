import { PmlError } from '../errors.ts';
import { PausableDeadline } from '../pausable-deadline.ts';
import { answerText, callError } from './call-answer.ts';
import { textForGuest } from './guest-json.ts';
import type { HostJob } from './host-job.ts';
import type { CallOut, Outcome, Success } from './outcome.ts';
import {
  type Failure,
  type FailureKind,
  type Frame,
  type FromChild,
  type Limits,
  LOG_LEVELS,
  LOG_LINE_BYTES,
  type LogLine,
  nestedTooDeep,
  type ToolNames,
} from './protocol.ts';
import type { Exit, SandboxProcess } from './sandbox-process.ts';
import { checkFailure, checkLost, checkPath } from './validate-child-messages.ts';

export interface RunRequest {
  code: string;
  args: unknown;
  callOut: CallOut;
  limits: Limits;
  signal: AbortSignal | undefined;
  /** Shared with other runs; replaces the limit's time. */
  deadline: PausableDeadline | undefined;
  tools?: ToolNames | undefined;
  /** Hears each console line as the code prints it. */
  onLog?: ((line: LogLine) => void) | undefined;
}

/** After these failures the guest may still compute, or its process be out of memory, so the process is killed. */
const FATAL_TO_PROCESS: readonly FailureKind[] = ['timeout', 'memory', 'limit', 'cancelled'];

/** A child reports within 200 ms that it has begun, so one that is silent for this long is not running. */
const SILENT_MS = 2_000;

let lastId = 0;

/** The host's side of one run: from its request to its outcome. */
export class HostRun implements HostJob {
  readonly #id = ++lastId;
  readonly #request: RunRequest;
  readonly #onEnd: (outcome: Outcome, mustKill: boolean) => void;
  readonly #callsAbort = new AbortController();
  readonly #logs: LogLine[] = [];
  readonly #stopDeadline: () => void;
  readonly #cancel = () => this.fail('cancelled', 'The run was cancelled.');
  /** JSON text; undefined if the arguments are nested too deep. */
  readonly #args: string | undefined;
  readonly #requestedAt = performance.now();
  #process: SandboxProcess | undefined;
  #silenceTimer: NodeJS.Timeout | undefined;
  #hasBegun = false;
  #startedAt = 0;
  #loggedBytes = 0;
  #callsMade = 0;
  #callsOpen = 0;
  #ended = false;

  /** `onEnd` also tells whether the process must be killed. */
  constructor(request: RunRequest, onEnd: (outcome: Outcome, mustKill: boolean) => void) {
    this.#request = request;
    this.#onEnd = onEnd;
    this.#args = textForGuest(request.args);
    const deadline = request.deadline ?? new PausableDeadline(request.limits.wallMs);
    this.#stopDeadline = deadline.onExpiry(() => this.#timeOut());
    request.signal?.addEventListener('abort', this.#cancel);
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Why the run cannot be queued. */
  get refusal(): string | undefined {
    return this.#args === undefined ? nestedTooDeep('args') : undefined;
  }

  /** Memory that the host holds for the run. */
  get bytes(): number {
    return this.#request.code.length + (this.#args?.length ?? 0);
  }

  /**
   * Starts the code in a process that is ready. `onSilent` is called if the process does not respond. The code has had
   * no effect then, since the host makes its calls, so it may start in another process.
   */
  begin(process: SandboxProcess, onSilent?: () => void): void {
    const { code, limits, tools } = this.#request;
    this.#process = process;
    this.#startedAt = performance.now();
    if (onSilent) this.#watchForSilence(process, onSilent);
    const listener = {
      frame: (frame: Frame<FromChild>) => this.#onFrame(frame),
      exit: (exit: Exit) => this.#onExit(exit),
    };
    process.listen(listener, limits.resultBytes);
    process.send({ type: 'run', run: this.#id, code, limits, tools }, this.#args ?? '');
  }

  /** Stops without an outcome. */
  abandon(): void {
    this.#ended = true;
    this.#stopDeadline();
    clearTimeout(this.#silenceTimer);
    this.#request.signal?.removeEventListener('abort', this.#cancel);
    if (this.#callsOpen > 0) this.#callsAbort.abort(new PmlError('cancelled', 'The run is over'));
  }

  fail(kind: FailureKind, message: string): void {
    this.#end({ ok: false, kind, message });
  }

  #watchForSilence(process: SandboxProcess, onSilent: () => void): void {
    const check = () => {
      if (process.hasSent || this.#ended || this.#process !== process) return;
      this.#process = undefined;
      onSilent();
    };
    // After a busy turn of its own, the host first reads what the child has said meanwhile.
    this.#silenceTimer = setTimeout(() => setImmediate(check), SILENT_MS);
  }

  #timeOut(): void {
    const { limits, deadline } = this.#request;
    const end = this.#process ? this.#startedAt : performance.now();
    const waited = Math.round(end - this.#requestedAt);
    const waiting = waited > limits.wallMs / 2 ? `, ${waited} of them to wait for a free sandbox` : '';
    if (this.#process) this.fail('timeout', `The run took longer than ${limits.wallMs} ms${waiting}.`);
    else this.fail('timeout', `No sandbox was free for ${deadline ? waited : limits.wallMs} ms.`);
  }

  #onFrame({ head, body }: Frame<FromChild>): void {
    if (head.type === 'ready' || head.run !== this.#id) throw new Error(`unexpected ${head.type}`);
    if (head.type === 'begun') this.#noteBegun();
    else if (head.type === 'log') this.#log({ level: head.level, text: body });
    else if (head.type === 'call') this.#call(head.call, checkPath(head.path), body);
    else if (head.type !== 'end') throw new Error(`unexpected ${head.type}`);
    else if (head.failure) this.#end({ ok: false, ...checkFailure(head.failure) });
    else {
      const bytes = Buffer.byteLength(body);
      const lost = head.lost === undefined ? {} : { lost: checkLost(head.lost) };
      this.#end({ ok: true, value: parseText(body), text: body, bytes, abandoned: this.#callsOpen, ...lost });
    }
  }

  /** Accepts one such frame: a child that sends more has been taken over. */
  #noteBegun(): void {
    if (this.#hasBegun) throw new Error('unexpected begun');
    this.#hasBegun = true;
  }

  #log(line: LogLine): void {
    this.#loggedBytes += line.text.length + LOG_LINE_BYTES;
    if (!LOG_LEVELS.includes(line.level)) throw new Error('broken log line');
    // The child enforces the limit; the allowance is for its last line, which says that output was dropped.
    if (this.#loggedBytes > this.#request.limits.logBytes + 1_000) throw new Error('too much output');
    this.#logs.push(line);
    this.#request.onLog?.(line);
  }

  async #call(call: number, path: string[], body: string): Promise<void> {
    const { callOut, limits } = this.#request;
    this.#callsMade += 1;
    this.#callsOpen += 1;
    if (this.#callsMade > limits.calls || this.#callsOpen > limits.inFlight)
      return this.fail('limit', 'Too many calls.');
    const run = this.#id;
    try {
      const answer = answerText(await callOut(path, parseText(body), this.#callsAbort.signal));
      if (!this.#ended) this.#process?.send({ type: 'answer', run, call }, answer);
    } catch (thrown) {
      if (!this.#ended) this.#process?.send({ type: 'answer', run, call, error: callError(thrown) });
    }
    this.#callsOpen -= 1;
  }

  #onExit({ code, signal, stderr }: Exit): void {
    const reason = signal ?? `code ${code}`;
    if (/out of memory|heap_oom|heap limit|allocation failed|invalid size/i.test(stderr)) {
      this.fail('memory', `The code used more than ${this.#request.limits.memoryMb} MB of memory.`);
    } else {
      this.fail(
        'cancelled',
        `The sandbox process of this run ended unexpectedly (${reason}). Other runs are not affected.`,
      );
    }
  }

  #end(end: (Failure & { ok: false }) | Success): void {
    if (this.#ended) return;
    this.abandon();
    const ms = this.#process ? performance.now() - this.#startedAt : 0;
    const mustKill = !end.ok && FATAL_TO_PROCESS.includes(end.kind);
    this.#onEnd({ ...end, logs: this.#logs, calls: this.#callsMade, ms }, mustKill);
  }
}

function parseText(text: string): unknown {
  return text === '' ? undefined : JSON.parse(text);
}
