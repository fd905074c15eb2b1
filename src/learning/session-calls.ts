import type { Json, JsonObject } from '../json.ts';
import type { CallWindow } from './call-window.ts';
import { digestCall, type PlainCall } from './digest-call.ts';

/** A call that has not ended yet. */
export interface OpenCall {
  /** Reports the tool's result; undefined if there is none. */
  ended(result: JsonObject | undefined): void;
}

interface Slot {
  readonly name: string;
  readonly args: unknown;
  readonly at: number;
  state: 'open' | 'failed' | { readonly result: JsonObject };
}

export interface SessionCallsOptions {
  window: CallWindow;
  now: () => number;
  /** Returns the value that code would get from a tool's result. */
  valueOf: (result: JsonObject) => unknown;
  /** Called when calls wait to be read. The receiver calls `read` later. */
  onWaiting: (session: SessionCalls) => void;
  onClose: (session: SessionCalls) => void;
}

/** Calls that may wait for an earlier one to end. */
const MAX_SLOTS = 256;
/** Calls read in a burst, and how many more a second. A faster caller is a program: reading it would cost a core for nothing. */
const BURST = 2000;
const READ_PER_SECOND = 100;
const UNREAD: OpenCall = { ended: () => {} };

/**
 * The tool calls of one session, read in the order in which they began. The call path only notes them; they are read in a
 * later turn of the event loop.
 */
export class SessionCalls {
  readonly #options: SessionCallsOptions;
  #slots: Slot[] = [];
  #allowance = BURST;
  #allowedAt: number;
  #isSkipping = false;

  constructor(options: SessionCallsOptions) {
    this.#options = options;
    this.#allowedAt = options.now();
  }

  begin(name: string, args: unknown): OpenCall {
    const at = this.#options.now();
    if (this.#mayRead(at)) return this.#note(name, args, at);
    if (!this.#isSkipping) this.interrupt();
    this.#isSkipping = true;
    return UNREAD;
  }

  #note(name: string, args: unknown, at: number): OpenCall {
    const slot: Slot = { name, args, at, state: 'open' };
    // Something hangs, or this is a flood: what is lost only delays a proposal.
    if (this.#slots.length >= MAX_SLOTS) {
      this.#slots = [{ ...slot, state: 'failed' }];
      this.#options.onWaiting(this);
    }
    this.#slots.push(slot);
    return { ended: (result) => this.#settle(slot, isWhole(result) ? { result } : 'failed') };
  }

  /** Something else than a tool call happened: what follows belongs to another sequence. */
  interrupt(): void {
    this.#note('', {}, this.#options.now()).ended(undefined);
  }

  /** Reads at most so many calls that have ended. True if more wait. */
  read(max: number): boolean {
    let count = 0;
    while (count < max && this.#slots[0] && this.#slots[0].state !== 'open') {
      this.#readOne(this.#slots.shift() as Slot);
      count += 1;
    }
    return this.#slots[0] !== undefined && this.#slots[0].state !== 'open';
  }

  get isWaiting(): boolean {
    return this.#options.window.isWaiting;
  }

  /** Called when the session is idle: hands over the pending segment, and forgets the values of calls. */
  rest(): void {
    this.#options.window.rest();
  }

  close(): void {
    this.read(MAX_SLOTS);
    this.#slots = [];
    this.#options.window.end();
    this.#options.onClose(this);
  }

  #mayRead(at: number): boolean {
    const earned = ((at - this.#allowedAt) * READ_PER_SECOND) / 1000;
    this.#allowance = Math.min(BURST, this.#allowance + earned);
    this.#allowedAt = at;
    if (this.#allowance < 1) return false;
    this.#allowance -= 1;
    this.#isSkipping = false;
    return true;
  }

  #settle(slot: Slot, state: Slot['state']): void {
    slot.state = state;
    if (this.#slots[0] === slot) this.#options.onWaiting(this);
  }

  #readOne({ name, args, at, state }: Slot): void {
    const { window } = this.#options;
    const call = typeof state === 'object' ? this.#plainCall(name, args, state.result) : undefined;
    const digest = call && digestCall(call);
    if (digest) window.add(digest, call, at);
    else window.end();
  }

  #plainCall(name: string, args: unknown, result: JsonObject): PlainCall | undefined {
    try {
      const value = isLargeText(result) ? undefined : (this.#options.valueOf(result) ?? null);
      return { name, args: (args ?? {}) as Json, result: value as Json | undefined };
    } catch {
      return undefined;
    }
  }
}

/** In characters. Parsing a longer text would hold up the event loop. */
const MAX_TEXT = 64 * 1024;

function isLargeText({ structuredContent, content }: JsonObject): boolean {
  if (structuredContent !== undefined || !Array.isArray(content)) return false;
  const length = content.reduce((sum, { text }) => sum + (typeof text === 'string' ? text.length : 0), 0);
  return length > MAX_TEXT;
}

/** True for a result that is no error and asks for no input. */
function isWhole(result: JsonObject | undefined): result is JsonObject {
  return result !== undefined && !result.isError && result.resultType !== 'input_required';
}
