import { CODE_AFTER, CODE_BEFORE, CODE_FILE } from '../protocol.ts';
import {
  MAX_TRANSCRIPTS_BYTES,
  type ReplayLimits,
  type ReplayProgram,
  type ReplayRequest,
  type Transcript,
} from '../replay-request.ts';
import { openWorld, worldSource } from '../worlds/open-world.ts';
import { nowIn } from '../worlds/world-clock.ts';
import type { PreparedContext, PreparedIsolate } from './isolate-pool.ts';
import { replayClock } from './replay-clock.ts';
import { type Replayed, ReplayedProgram } from './replayed-program.ts';
import type { RunState } from './run-state.ts';

const TOO_MUCH: Transcript = { calls: [], end: 'limit', message: 'The transcripts are too large.' };
const GONE: Transcript = {
  calls: [],
  end: 'limit',
  message: 'A program before this one used too much memory.',
};

/** Runs every program in every world, and returns the JSON of all transcripts, by program and world. */
export function replayAll(
  prepared: PreparedIsolate,
  request: ReplayRequest,
  limits: ReplayLimits,
  state: RunState,
): string {
  const source = worldSource(request);
  const resolve = nameResolver(request);
  const programs = request.programs.map((program) => readyProgram(prepared, program, resolve));
  const transcripts: string[][] = programs.map(() => []);
  const isGone = () => prepared.isolate.isDisposed;
  const contexts = contextsOf(prepared);
  const clocks = clocksOf(prepared);
  let bytesLeft = MAX_TRANSCRIPTS_BYTES;
  for (const world of request.worlds) {
    const begin = openWorld(world, source);
    const clock = clocks(nowIn(world));
    programs.forEach((program, index) => {
      state.beginTurn();
      const transcript = isGone()
        ? GONE
        : inContext(contexts(), (context) =>
            new ReplayedProgram(context, { ...program, clock, answer: begin() }, limits).run(isGone),
          );
      state.endTurn();
      let text = JSON.stringify(transcript);
      const bytes = Buffer.byteLength(text);
      if (bytes > bytesLeft) text = JSON.stringify(TOO_MUCH);
      else bytesLeft -= bytes;
      transcripts[index]?.push(text);
    });
  }
  return `[${transcripts.map((texts) => `[${texts.join()}]`).join()}]`;
}

/** Hands out a new context each time. The isolate's first one is made already. */
function contextsOf(prepared: PreparedIsolate): () => PreparedContext {
  let isFirst = true;
  return () => {
    if (!isFirst) return prepared.addContext();
    isFirst = false;
    return prepared;
  };
}

/** Compiles the clock of each moment once. */
function clocksOf({ isolate }: PreparedIsolate): (now: number) => Replayed['clock'] {
  const clocks = new Map<number, Replayed['clock']>();
  return (now) => {
    const clock = clocks.get(now) ?? isolate.compileScriptSync(replayClock(now));
    clocks.set(now, clock);
    return clock;
  };
}

function inContext(prepared: PreparedContext, act: (context: PreparedContext) => Transcript): Transcript {
  try {
    return act(prepared);
  } finally {
    // So that V8 can collect the program's garbage: contexts of one isolate share its memory.
    prepared.enter.release();
    prepared.context.release();
  }
}

/** Compiles the program once for all worlds. One that does not compile fails when it is evaluated. */
function readyProgram(
  { isolate }: PreparedIsolate,
  { code, args, names = {} }: ReplayProgram,
  resolve: (spelled: string) => string,
): Omit<Replayed, 'answer' | 'clock'> {
  const origin = { filename: CODE_FILE, columnOffset: -CODE_BEFORE.length };
  let evaluate: Replayed['evaluate'];
  try {
    const script = isolate.compileScriptSync(CODE_BEFORE + code + CODE_AFTER, origin);
    evaluate = (context) => script.runSync(context);
  } catch (error) {
    evaluate = () => {
      throw error;
    };
  }
  const nameOf = (spelled: string) =>
    Object.hasOwn(names, spelled) ? String(names[spelled]) : resolve(spelled);
  return { code, args: args === undefined ? '' : JSON.stringify(args), evaluate, nameOf };
}

/** Finds the name that the request has for a spelling: the same one, or one that differs in case, "_" and "-" alone. */
function nameResolver({ calls, samples = {}, reads }: ReplayRequest): (spelled: string) => string {
  const known = [...calls.map(({ name }) => name), ...Object.keys(samples), ...reads];
  const exact = new Set(known);
  const loose = new Map<string, string>();
  for (const name of known) if (!loose.has(looseName(name))) loose.set(looseName(name), name);
  return (spelled) => (exact.has(spelled) ? spelled : (loose.get(looseName(spelled)) ?? spelled));
}

function looseName(name: string): string {
  return name.toLowerCase().replace(/[_-]/g, '');
}
