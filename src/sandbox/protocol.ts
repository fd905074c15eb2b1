/**
 * What host, child and guest say to each other. The host runs PML; a child is a Node process that holds one isolate
 * at a time; the guest is the code inside that isolate. All three are built from this one file.
 */

export interface Limits {
  /** Time from the start of the run to its end, waiting included. */
  wallMs: number;
  /** Processor time between two moments at which the guest waits. */
  turnCpuMs: number;
  memoryMb: number;
  /** Size of the result as JSON; also of the arguments of all calls under way together. */
  resultBytes: number;
  /** Output beyond this is dropped, and the last line says so. */
  logBytes: number;
  /** Calls out in the whole run. */
  calls: number;
  /** Calls out at one time; further ones wait in the guest. */
  inFlight: number;
}

export const LOG_LEVELS = ['log', 'info', 'warn', 'error', 'debug'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface LogLine {
  level: LogLevel;
  text: string;
}

export const FAILURE_KINDS = [
  'syntax',
  'exception',
  'timeout',
  'memory',
  'limit',
  'denied',
  'cancelled',
] as const;
export type FailureKind = (typeof FAILURE_KINDS)[number];

/** Why a run ended without a value. Line and column count from 1 in the code that was given. */
export interface Failure {
  kind: FailureKind;
  message: string;
  /** Class of the error, where one was thrown. */
  name?: string;
  /** Code of the call's error, where an uncaught one ended the run. */
  code?: string;
  line?: number;
  column?: number;
  /** The frames in the caller's own code. */
  stack?: string;
}

/** How a call's rejection is told to the guest. */
export interface CallError {
  message: string;
  code?: string;
  denied?: boolean;
}

/** What a guest tells about an error that nothing caught; the child finds the position in it. */
export interface Thrown {
  name: string;
  message: string;
  stack: string;
  code?: string;
  denied?: boolean;
}

/** Heads of the frames to a child. The body, if any, is JSON text; an empty body means undefined. */
export type ToChild =
  | { type: 'start'; addon: string; memoryMb: number }
  | { type: 'run'; run: number; code: string; limits: Limits }
  | { type: 'answer'; run: number; call: number; error?: CallError };

/** Heads of the frames from a child. A child says that it has begun where a run has nothing else to say for a while. */
export type FromChild =
  | { type: 'ready' }
  | { type: 'begun'; run: number }
  | { type: 'log'; run: number; level: LogLevel }
  | { type: 'call'; run: number; call: number; path: string[] }
  | { type: 'end'; run: number; failure?: Failure };

/** What a guest may post, one way. Only primitives: an object of the guest's never enters the child. */
export type FromGuest =
  | ['started']
  | ['log', level: LogLevel, text: string]
  | ['call', call: number, path: string, args: string]
  | ['timer', timer: number, ms: number, repeat: boolean]
  | ['clear', timer: number]
  | ['end', value: string]
  | ['throw', thrown: string]
  | ['syntax', message: string]
  | ['limit', message: string];

export type Post = (...message: FromGuest) => void;

/** What a guest may ask the child and wait for: what Node does better than code of ours in the guest would. */
export type Question =
  | ['url', input: string, base: string | undefined]
  | ['url-set', href: string, key: string, value: string]
  | ['query', text: string]
  | ['query-text', pairs: string]
  | ['encode', text: string]
  | ['decode', label: string, fatal: boolean, bytes: Uint8Array]
  | ['atob' | 'btoa', text: string]
  | ['uuid']
  | ['random', bytes: number];

/** Answers undefined where the question has no answer, such as a text that is no URL. */
export type Ask = (...question: Question) => string | Uint8Array | undefined;

/** How the child enters the guest. Each entry is one turn: it ends when the guest waits again. */
export type Receive = (
  ...entry:
    | ['order', code: string, args: string, limits: string]
    | ['answer', call: number, ok: boolean, text: string]
    | ['fire', timer: number]
) => void;

/** The file name that the guest's code bears in stack traces, and that of PML's own code in the guest. */
export const CODE_FILE = 'code.ts';
export const GUEST_FILE = 'pml:guest';

/** The code becomes the body of this function; strict, as modules are. The global that starts it is gone by then. */
export const START = '__start__';
export const CODE_BEFORE = `"use strict";${START}(async()=>{`;
export const CODE_AFTER = '\n})';

/** Timers at one time. More are a mistake, and each costs the child memory that the guest's limit does not count. */
export const MAX_TIMERS = 10_000;

/** Values that cross may be nested so deep. Deeper ones would overflow the stack of whoever reads them. */
export const MAX_NESTING = 500;

/** `what` is the value, as the message calls it. */
export function tooDeep(what: string): string {
  return `${what} is nested deeper than ${MAX_NESTING} levels: make it flatter, or pass it as JSON text.`;
}

/** What a log line costs besides its text; else empty lines could come without end. */
export const LOG_LINE_BYTES = 64;

export interface Frame<Head> {
  head: Head;
  body: string;
}

const LENGTH_BYTES = 4;

/** A frame is its length, one line of JSON, and a body that needs no parsing on its way. */
export function encodeFrame(head: ToChild | FromChild, body = ''): Buffer {
  const line = `${JSON.stringify(head)}\n`;
  const lineBytes = Buffer.byteLength(line);
  const length = lineBytes + Buffer.byteLength(body);
  const frame = Buffer.allocUnsafe(LENGTH_BYTES + length);
  frame.writeUInt32BE(length);
  frame.write(line, LENGTH_BYTES);
  frame.write(body, LENGTH_BYTES + lineBytes);
  return frame;
}

/** Cuts a byte stream into frames. Throws where the other side breaks the form or the size that `maxBytes` allows. */
export function frameReader<Head>(maxBytes: () => number): (chunk: Buffer) => Frame<Head>[] {
  let chunks: Buffer[] = [];
  let held = 0;
  let needed = LENGTH_BYTES;
  return (chunk) => {
    chunks.push(chunk);
    held += chunk.length;
    const frames: Frame<Head>[] = [];
    while (held >= needed) {
      // Joined once a whole frame is here, not at every chunk: a large frame arrives in hundreds of them.
      const data = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, held);
      const length = data.readUInt32BE(0);
      if (length > maxBytes()) throw new Error(`frame of ${length} bytes`);
      needed = LENGTH_BYTES + length;
      chunks = [data];
      if (held < needed) break;
      frames.push(decodeFrame(data.subarray(LENGTH_BYTES, needed)));
      chunks = [data.subarray(needed)];
      held -= needed;
      needed = LENGTH_BYTES;
    }
    return frames;
  };
}

function decodeFrame<Head>(data: Buffer): Frame<Head> {
  const end = data.indexOf('\n');
  if (end < 0) throw new Error('frame without a head');
  return { head: JSON.parse(data.toString('utf8', 0, end)), body: data.toString('utf8', end + 1) };
}
