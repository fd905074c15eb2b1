import { PmlError } from '../errors.ts';
import { PausableDeadline } from '../pausable-deadline.ts';
import { answerText, callError } from './call-answer.ts';
import { textWithin } from './nesting.ts';
import type { CallOut, Outcome, Success } from './outcome.ts';
import type { Exit, SandboxProcess } from './process.ts';
import {
  type Failure,
  type FailureKind,
  type Frame,
  type FromChild,
  type Limits,
  LOG_LEVELS,
  LOG_LINE_BYTES,
  type LogLine,
  tooDeep,
} from './protocol.ts';
import { checkFailure, checkPath } from './validate-child-messages.ts';

export interface Request {
  code: string;
  args: unknown;
  callOut: CallOut;
  limits: Limits;
  signal: AbortSignal | undefined;
  /** Time that the run shares with others, instead of the limit's. */
  patience: PausableDeadline | undefined;
}

/** After these the guest may still compute, or its process be out of memory: it is not used again. */
const SPOILING: readonly FailureKind[] = ['timeout', 'memory', 'limit', 'cancelled'];

/** A child says within a fifth of a second that it has begun. One that says nothing for so long is not running. */
const SILENT_MS = 2_000;

let runs = 0;

/** The host's side of one run: from its request to its outcome. */
export class HostRun {
  readonly #id = ++runs;
  readonly #request: Request;
  readonly #done: (outcome: Outcome, spoiled: boolean) => void;
  readonly #calls = new AbortController();
  readonly #logs: LogLine[] = [];
  readonly #stopWatch: () => void;
  readonly #cancel = () => this.fail('cancelled', 'The run was cancelled.');
  readonly #args: string | undefined;
  readonly #asked = performance.now();
  #process: SandboxProcess | undefined;
  #silence: NodeJS.Timeout | undefined;
  #heard = false;
  #begun = false;
  #started = 0;
  #logged = 0;
  #made = 0;
  #open = 0;
  #ended = false;

  constructor(request: Request, done: (outcome: Outcome, spoiled: boolean) => void) {
    this.#request = request;
    this.#done = done;
    this.#args = textWithin(request.args);
    const patience = request.patience ?? new PausableDeadline(request.limits.wallMs);
    this.#stopWatch = patience.onExpiry(() => this.#timeOut());
    request.signal?.addEventListener('abort', this.#cancel);
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Why the run cannot even wait for a process. */
  get refusal(): string | undefined {
    return this.#args === undefined ? tooDeep('args') : undefined;
  }

  /** What the host holds of it. */
  get bytes(): number {
    return this.#request.code.length + (this.#args?.length ?? 0);
  }

  /**
   * Starts the code in a process that is ready. `onSilent` hears of a process that does not even begin: the code has
   * had no effect then, since the host makes its calls, and may begin in another.
   */
  begin(process: SandboxProcess, onSilent?: () => void): void {
    const { code, limits } = this.#request;
    this.#process = process;
    this.#started = performance.now();
    if (onSilent) this.#awaitSign(process, onSilent);
    const listener = {
      frame: (frame: Frame<FromChild>) => this.#hear(frame),
      exit: (exit: Exit) => this.#lose(exit),
    };
    process.listen(listener, limits.resultBytes);
    process.send({ type: 'run', run: this.#id, code, limits }, this.#args ?? '');
  }

  /** Stops without an outcome. */
  abandon(): void {
    this.#ended = true;
    this.#stopWatch();
    clearTimeout(this.#silence);
    this.#request.signal?.removeEventListener('abort', this.#cancel);
    this.#calls.abort(new PmlError('cancelled', 'The run is over'));
  }

  fail(kind: FailureKind, message: string): void {
    this.#end({ ok: false, kind, message });
  }

  #awaitSign(process: SandboxProcess, onSilent: () => void): void {
    const look = () => {
      if (this.#heard || this.#ended || this.#process !== process) return;
      this.#process = undefined;
      onSilent();
    };
    // A host that was busy itself must read first what the child has said meanwhile.
    this.#silence = setTimeout(() => setImmediate(look), SILENT_MS);
  }

  #timeOut(): void {
    const { limits, patience } = this.#request;
    const end = this.#process ? this.#started : performance.now();
    const waited = Math.round(end - this.#asked);
    const waiting = waited > limits.wallMs / 2 ? `, ${waited} of them to wait for a free sandbox` : '';
    if (this.#process) this.fail('timeout', `The run took longer than ${limits.wallMs} ms${waiting}.`);
    else this.fail('timeout', `No sandbox was free for ${patience ? waited : limits.wallMs} ms.`);
  }

  #hear({ head, body }: Frame<FromChild>): void {
    if (head.type === 'ready' || head.run !== this.#id) throw new Error(`unexpected ${head.type}`);
    this.#heard = true;
    if (head.type === 'begun') this.#begin();
    else if (head.type === 'log') this.#log({ level: head.level, text: body });
    else if (head.type === 'call') this.#call(head.call, checkPath(head.path), body);
    else if (head.failure) this.#end({ ok: false, ...checkFailure(head.failure) });
    else {
      const bytes = Buffer.byteLength(body);
      this.#end({ ok: true, value: parseText(body), bytes, abandoned: this.#open });
    }
  }

  /** Said once; a child that says it again and again has been taken over. */
  #begin(): void {
    if (this.#begun) throw new Error('unexpected begun');
    this.#begun = true;
  }

  #log(line: LogLine): void {
    this.#logged += line.text.length + LOG_LINE_BYTES;
    if (!LOG_LEVELS.includes(line.level)) throw new Error('broken log line');
    // The child has counted already, and its last line says that it cuts.
    if (this.#logged > this.#request.limits.logBytes + 1_000) throw new Error('too much output');
    this.#logs.push(line);
  }

  async #call(call: number, path: string[], body: string): Promise<void> {
    const { callOut, limits } = this.#request;
    this.#made += 1;
    this.#open += 1;
    if (this.#made > limits.calls || this.#open > limits.inFlight)
      return this.fail('limit', 'Too many calls.');
    const run = this.#id;
    try {
      const answer = answerText(await callOut(path, parseText(body), this.#calls.signal));
      if (!this.#ended) this.#process?.send({ type: 'answer', run, call }, answer);
    } catch (thrown) {
      if (!this.#ended) this.#process?.send({ type: 'answer', run, call, error: callError(thrown) });
    }
    this.#open -= 1;
  }

  #lose({ code, signal, stderr }: Exit): void {
    const how = signal ?? `code ${code}`;
    if (/out of memory|heap_oom|heap limit|allocation failed|invalid size/i.test(stderr)) {
      this.fail('memory', `The code used more than ${this.#request.limits.memoryMb} MB of memory.`);
    } else {
      this.fail(
        'cancelled',
        `The sandbox process ended (${how}) in the middle of this run, and only this one.`,
      );
    }
  }

  #end(end: (Failure & { ok: false }) | Success): void {
    if (this.#ended) return;
    this.abandon();
    const ms = this.#process ? performance.now() - this.#started : 0;
    const spoiled = !end.ok && SPOILING.includes(end.kind);
    this.#done({ ...end, logs: this.#logs, calls: this.#made, ms }, spoiled);
  }
}

function parseText(text: string): unknown {
  return text === '' ? undefined : JSON.parse(text);
}
