import {
  type EnterGuest,
  type Limits,
  LOG_LEVELS,
  LOG_LINE_BYTES,
  type LogLevel,
  type Post,
  type QueryChild,
  START,
  type Thrown,
} from '../protocol.ts';
import { makeCalls } from './calls.ts';
import { formatLine } from './format-log-line.ts';
import { bare, deleteProperty, parse, put, slice, sourceOf, stringify, weakHas } from './intrinsics.ts';
import { makeMcp, makePml } from './mcp.ts';
import { TooLarge, toText } from './serialize.ts';
import { makeTimers } from './timers.ts';
import { installWeb } from './web.ts';

/** Shared memory would make a clock precise enough for side channels; WebAssembly is more attack surface than needed. */
const REMOVED_GLOBALS = ['WebAssembly', 'SharedArrayBuffer', 'Atomics'];
const MAX_MESSAGE_LENGTH = 20_000;

/** Makes the guest's globals before the run, and returns the function by which the child enters the guest. */
export function installGuest(post: Post, queryChild: QueryChild): EnterGuest {
  for (let i = 0; i < REMOVED_GLOBALS.length; i++) deleteProperty(globalThis, REMOVED_GLOBALS[i] as string);
  const limits = bare<number>() as unknown as Limits;
  const denied = new WeakSet<object>();
  const calls = makeCalls(post, limits, denied);
  const timers = makeTimers(post);
  timers.install();
  installWeb(queryChild);
  const mcp = makeMcp(calls.call);
  put(globalThis, 'mcp', mcp.mcp, false);
  put(globalThis, 'pml', makePml(calls.call), false);
  put(globalThis, 'console', makeConsole(post, limits), false);
  let code = '';

  const fail = (thrown: unknown) => {
    if (thrown instanceof TooLarge) post('limit', thrown.message);
    else post('throw', stringify(describe(thrown, denied)));
  };

  const start = async (main: () => Promise<unknown>): Promise<void> => {
    deleteProperty(globalThis, START);
    post('started');
    if (!isWholeCode(main, code)) return post('syntax', 'The code closes a bracket that it did not open');
    try {
      const lost = noteLost();
      post('end', toText(await main(), 'result', limits.resultBytes, lost.note), lost.text());
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
        code = entry[1];
        put(globalThis, 'args', entry[2] === '' ? undefined : parse(entry[2]), false);
        setLimits(limits, entry[3]);
        if (entry[4] !== '') mcp.setNames(parse(entry[4]));
      }
    } catch (thrown) {
      fail(thrown);
    }
  };
}

/** Collects what a result loses on its way out: the first number that JSON cannot hold, and how many there are. */
function noteLost() {
  let first = '';
  let more = 0;
  return {
    note: (path: string, value: number) => {
      if (first === '') first = `${path} is ${value}`;
      else more += 1;
    },
    text: () => (more === 0 ? first : `${first}, and ${more} more like it`),
  };
}

/** Makes V8 compile what every run uses before the run. */
function warmUp(): void {
  isWholeCode(async () => {}, '');
  toText({ warm: [''] }, '', 100);
}

/** Checks that all of the code is inside its function: code could close the function and go on outside. */
function isWholeCode(main: () => unknown, code: string): boolean {
  return sourceOf(main) === `async()=>{${code}\n}`;
}

function setLimits(limits: Limits, text: string): void {
  const given: Limits = parse(text);
  limits.calls = given.calls;
  limits.inFlight = given.inFlight;
  limits.resultBytes = given.resultBytes;
  limits.logBytes = given.logBytes;
}

/** The console. It stops sending beyond the limit; the child drops the excess, and says so. */
function makeConsole(post: Post, limits: Limits): object {
  const console = {};
  let sent = 0;
  for (let i = 0; i < LOG_LEVELS.length; i++) {
    const level = LOG_LEVELS[i] as LogLevel;
    const write = (...values: unknown[]) => {
      if (sent > limits.logBytes) return;
      const text = formatLine(values);
      sent += text.length + LOG_LINE_BYTES;
      post('log', level, text);
    };
    put(console, level, write);
  }
  return console;
}

/** Describes a thrown value, whatever it is. */
function describe(thrown: unknown, denied: WeakSet<object>): Thrown {
  const described = bare<unknown>();
  described.name = '';
  described.stack = '';
  try {
    if (thrown instanceof Error) {
      described.name = text(thrown.name);
      described.message = text(thrown.message);
      described.stack = text(thrown.stack);
      const { code } = thrown as { code?: unknown };
      if (typeof code === 'string') described.code = text(code);
      described.denied = weakHas(denied, thrown);
    } else {
      described.message = `Thrown: ${text(formatLine([thrown]))}`;
    }
  } catch {
    described.message = 'Thrown: a value that cannot be read';
  }
  return described as unknown as Thrown;
}

function text(value: unknown): string {
  return slice(`${value ?? ''}`, 0, MAX_MESSAGE_LENGTH);
}
