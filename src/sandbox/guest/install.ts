import {
  type Ask,
  type Limits,
  LOG_LEVELS,
  LOG_LINE_BYTES,
  type LogLevel,
  type Post,
  type Receive,
  START,
  type Thrown,
} from '../protocol.ts';
import { makeCalls } from './calls.ts';
import { formatLine } from './format.ts';
import { bare, deleteProperty, parse, put, slice, sourceOf, stringify, weakHas } from './intrinsics.ts';
import { makeMcp } from './mcp.ts';
import { TooLarge, toText } from './serialize.ts';
import { makeTimers } from './timers.ts';
import { installWeb } from './web.ts';

/** Shared memory would be a clock precise enough for side channels; WebAssembly more surface than tool code needs. */
const REMOVED = ['WebAssembly', 'SharedArrayBuffer', 'Atomics'];
const MAX_MESSAGE = 20_000;

/**
 * Makes the guest's globals, ahead of the run, and answers with how the child enters the guest. `tell` is a `post` that
 * waits until the child has heard: for what a loop could send without end, faster than the child can take it.
 */
export function installGuest(post: Post, ask: Ask, tell: Post): Receive {
  for (let i = 0; i < REMOVED.length; i++) deleteProperty(globalThis, REMOVED[i] as string);
  const limits = bare<number>() as unknown as Limits;
  const denied = new WeakSet<object>();
  const calls = makeCalls(post, limits, denied);
  const timers = makeTimers(tell);
  timers.install();
  installWeb(ask);
  put(globalThis, 'mcp', makeMcp(calls.call), false);
  put(globalThis, 'console', makeConsole(post, limits), false);
  let ordered = '';

  const fail = (thrown: unknown) => {
    if (thrown instanceof TooLarge) post('limit', thrown.message);
    else post('throw', stringify(describe(thrown, denied)));
  };

  const start = async (main: () => Promise<unknown>): Promise<void> => {
    deleteProperty(globalThis, START);
    post('started');
    if (!isWhole(main, ordered)) return post('syntax', 'The code closes a bracket that it did not open');
    try {
      post('end', toText(await main(), 'result', limits.resultBytes));
    } catch (thrown) {
      fail(thrown);
    }
  };
  put(globalThis, START, start, false);
  warmUp();

  return (...entry) => {
    try {
      if (entry[0] === 'answer') calls.answer(entry[1], entry[2], entry[3]);
      else if (entry[0] === 'fire') timers.fire(entry[1]);
      else {
        ordered = entry[1];
        put(globalThis, 'args', entry[2] === '' ? undefined : parse(entry[2]), false);
        setLimits(limits, entry[3]);
      }
    } catch (thrown) {
      fail(thrown);
    }
  };
}

/** Has V8 compile what every run uses, now rather than in the run. */
function warmUp(): void {
  isWhole(async () => {}, '');
  toText({ warm: [''] }, '', 100);
}

/** Whether all of the code is in the function that was made of it: it could close that and go on outside. */
function isWhole(main: () => unknown, code: string): boolean {
  return sourceOf(main) === `async()=>{${code}\n}`;
}

function setLimits(limits: Limits, text: string): void {
  const given: Limits = parse(text);
  limits.calls = given.calls;
  limits.inFlight = given.inFlight;
  limits.resultBytes = given.resultBytes;
  limits.logBytes = given.logBytes;
}

/** The console. It stops sending once the limit is passed; the child cuts, and says so. */
function makeConsole(post: Post, limits: Limits): object {
  const made = {};
  let sent = 0;
  for (let i = 0; i < LOG_LEVELS.length; i++) {
    const level = LOG_LEVELS[i] as LogLevel;
    const write = (...given: unknown[]) => {
      if (sent > limits.logBytes) return;
      const text = formatLine(given);
      sent += text.length + LOG_LINE_BYTES;
      post('log', level, text);
    };
    put(made, level, write);
  }
  return made;
}

/** What is known of a thrown value, whatever it is. */
function describe(thrown: unknown, denied: WeakSet<object>): Thrown {
  const told = bare<unknown>();
  told.name = '';
  told.stack = '';
  try {
    if (thrown instanceof Error) {
      told.name = text(thrown.name);
      told.message = text(thrown.message);
      told.stack = text(thrown.stack);
      const { code } = thrown as { code?: unknown };
      if (typeof code === 'string') told.code = text(code);
      told.denied = weakHas(denied, thrown);
    } else {
      told.message = `Thrown: ${text(formatLine([thrown]))}`;
    }
  } catch {
    told.message = 'Thrown: a value that cannot be read';
  }
  return told as unknown as Thrown;
}

function text(value: unknown): string {
  return slice(`${value ?? ''}`, 0, MAX_MESSAGE);
}
