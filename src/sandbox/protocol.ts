/**
 * The messages between host, child and guest. The host runs PML; a child is a Node process that runs one isolate at a
 * time; the guest is the code inside that isolate. All three share this file.
 */

import type { ReplayLimits } from './replay-request.ts';

export interface Limits {
  /** Time from the request to the end of the run, waiting included. */
  wallMs: number;
  /** Processor time that the guest may use without a pause. */
  turnCpuMs: number;
  memoryMb: number;
  /** Size of the result as JSON, and of the arguments of all calls under way together. */
  resultBytes: number;
  /** Output beyond this is dropped, and the last line says so. */
  logBytes: number;
  /** Calls out in the whole run. */
  calls: number;
  /** Calls out at one time; further ones wait in the guest. */
  inFlight: number;
}

/** The names of tools, by server. */
export type ToolNames = Readonly<Record<string, readonly string[]>>;

/** Reads of the registry in code: `pml.lookup(…)` and so on. */
export const REGISTRY_READS = ['lookup', 'query', 'history', 'whois'] as const;
export type RegistryRead = (typeof REGISTRY_READS)[number];
/** `pml.result(run)` reads the whole of a result that was too large to be answered. */
export const RESULT_READ = 'result';
/** The first key in the path of a call of `pml`. No server has a colon in its name. */
export const READ_PATH = 'pml:read';

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

/** Why a run ended without a value. Line and column count from 1 in the caller's code. */
export interface Failure {
  kind: FailureKind;
  message: string;
  /** Class of the error, if one was thrown. */
  name?: string;
  /** Code of the call's error, if the guest did not catch it. */
  code?: string;
  line?: number;
  column?: number;
  /** The frames in the caller's own code. */
  stack?: string;
}

/** A call's rejection, as the guest gets it. */
export interface CallError {
  message: string;
  code?: string;
  denied?: boolean;
}

/** An uncaught error, as the guest reports it; the child finds the position in its stack. */
export interface Thrown {
  name: string;
  message: string;
  stack: string;
  code?: string;
  denied?: boolean;
}

/** Heads of the frames to a child. The body is JSON text; an empty body means undefined. */
export type ToChild =
  | { type: 'start'; addon: string; memoryMb: number }
  | { type: 'run'; run: number; code: string; limits: Limits; tools?: ToolNames | undefined }
  | { type: 'replay'; run: number; limits: ReplayLimits & Pick<Limits, 'memoryMb'> }
  | { type: 'answer'; run: number; call: number; error?: CallError };

/** Heads of the frames from a child. A child sends `begun` if a run sends nothing else for a while. */
export type FromChild =
  | { type: 'ready' }
  | { type: 'begun'; run: number }
  | { type: 'log'; run: number; level: LogLevel }
  | { type: 'call'; run: number; call: number; path: string[] }
  | { type: 'end'; run: number; failure?: Failure; lost?: string }
  | { type: 'replayed'; run: number };

/** The one-way messages of a guest. Only primitives: an object of the guest never enters the child. */
export type FromGuest =
  | ['started']
  | ['log', level: LogLevel, text: string]
  | ['call', call: number, path: string, args: string]
  | ['timer', timer: number, ms: number, repeat: boolean]
  | ['clear', timer: number]
  | ['end', value: string, lost: string]
  | ['throw', thrown: string]
  | ['syntax', message: string]
  | ['limit', message: string];

export type Post = (...message: FromGuest) => void;

/** Synchronous queries of a guest to its child, for what Node does better than code inside the guest would. */
export type GuestQuery =
  | ['url', input: string, base: string | undefined]
  | ['url-set', href: string, key: string, value: string]
  | ['query', text: string]
  | ['query-text', pairs: string]
  | ['encode', text: string]
  | ['decode', label: string, fatal: boolean, bytes: Uint8Array]
  | ['atob' | 'btoa', text: string]
  | ['uuid']
  | ['random', bytes: number];

/** Returns undefined if the query has no answer, for example for a text that is no URL. */
export type QueryChild = (...query: GuestQuery) => string | Uint8Array | undefined;

/** Enters the guest. Each entry is one turn: it ends when the guest waits again. */
export type EnterGuest = (
  ...entry:
    | ['order', code: string, args: string, limits: string, tools: string]
    | ['answer', call: number, ok: boolean, text: string]
    | ['fire', timer: number]
) => void;

/** The file names in stack traces, for the caller's code and for PML's own code in the guest. */
export const CODE_FILE = 'code.ts';
export const GUEST_FILE = 'pml:guest';

/** The code becomes the body of this function, strict as modules are. `START` is deleted before the body runs. */
export const START = '__start__';
export const CODE_BEFORE = `"use strict";${START}(async()=>{`;
export const CODE_AFTER = '\n})';

/** Timers at one time. Each costs the child memory that the guest's limit does not count. */
export const MAX_TIMERS = 10_000;

/** How deep values may be nested that enter or leave a guest. Deeper ones would overflow the stack of their reader. */
export const MAX_GUEST_NESTING = 500;

/** The message for a value over the limit; `what` names the value. */
export function nestedTooDeep(what: string): string {
  return `${what} is nested deeper than ${MAX_GUEST_NESTING} levels: make it flatter, or pass it as JSON text.`;
}

/** The longest note of what a result lost. */
export const MAX_LOST_LENGTH = 400;

/** Counted for each log line besides its text, so that empty lines are limited too. */
export const LOG_LINE_BYTES = 64;

export interface Frame<Head> {
  head: Head;
  body: string;
}

const LENGTH_BYTES = 4;

/** A frame is its length, one line of JSON, and a body that is passed on unparsed. */
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

/** Splits a byte stream into frames. Throws on a malformed frame, and on one larger than `maxBytes` allows. */
export function frameReader<Head>(maxBytes: () => number): (chunk: Buffer) => Frame<Head>[] {
  let chunks: Buffer[] = [];
  let held = 0;
  let needed = LENGTH_BYTES;
  return (chunk) => {
    chunks.push(chunk);
    held += chunk.length;
    const frames: Frame<Head>[] = [];
    while (held >= needed) {
      // Chunks are joined once a whole frame is here: a large frame arrives in hundreds of them.
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
