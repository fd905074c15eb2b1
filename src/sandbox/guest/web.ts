import type { QueryChild } from '../protocol.ts';
import { cloneOf } from './clone.ts';
import { apply, defineProperty, isView, put } from './intrinsics.ts';
import { makeSearchParams } from './search-params.ts';
import { makeUrl } from './url.ts';

/** The globals of the web platform that need no I/O: text, base64, randomness, URLs, clones. */
export function installWeb(queryChild: QueryChild): void {
  addLazily('URL', () => makeUrl(queryChild).URL);
  addLazily('URLSearchParams', () => makeSearchParams(queryChild).URLSearchParams);
  addLazily('TextEncoder', () => makeEncoder(queryChild));
  addLazily('TextDecoder', () => makeDecoder(queryChild));
  addLazily('crypto', () => makeCrypto(queryChild));
  const add = (name: string, value: unknown) => put(globalThis, name, value, false);
  add('structuredClone', (value: unknown) => cloneOf(value));
  add('atob', (text: unknown) => base64(queryChild, 'atob', `${text}`));
  add('btoa', (text: unknown) => base64(queryChild, 'btoa', `${text}`));
  add('queueMicrotask', queueMicrotask);
}

/** Adds a global that is made on first use: most runs use none of these, and every isolate would pay for all. */
function addLazily(name: string, make: () => unknown): void {
  const set = (value: unknown) => put(globalThis, name, value, false);
  const get = () => {
    const made = make();
    set(made);
    return made;
  };
  defineProperty(globalThis, name, { __proto__: null, get, set, configurable: true } as PropertyDescriptor);
}

function makeCrypto(queryChild: QueryChild): object {
  return {
    randomUUID: () => queryChild('uuid'),
    getRandomValues: (view: ArrayBufferView) => fillRandomly(queryChild, view),
  };
}

const settled = Promise.resolve();

function queueMicrotask(callback: unknown): void {
  if (typeof callback !== 'function') throw new TypeError('queueMicrotask needs a function to call');
  apply(promiseThen, settled, [() => void apply(callback, undefined, [])]);
}

const promiseThen = Promise.prototype.then;

function makeEncoder(queryChild: QueryChild) {
  return class TextEncoder {
    readonly encoding = 'utf-8';
    encode(text: unknown = ''): Uint8Array {
      return queryChild('encode', `${text}`) as Uint8Array;
    }
  };
}

function makeDecoder(queryChild: QueryChild) {
  return class TextDecoder {
    readonly encoding: string;
    readonly fatal: boolean;
    constructor(label: unknown = 'utf-8', options: { fatal?: boolean } = {}) {
      this.encoding = `${label}`;
      this.fatal = Boolean(options.fatal);
      // Checked at once, so that an unknown label fails here, as in a browser.
      if (queryChild('decode', this.encoding, false, new Uint8Array(0)) === undefined) {
        throw new RangeError(`The encoding "${label}" is not known`);
      }
    }
    decode(bytes: unknown = new Uint8Array(0)): string {
      const text = queryChild('decode', this.encoding, this.fatal, bytesOf(bytes));
      if (text === undefined) throw new TypeError(`The bytes are not valid ${this.encoding}`);
      return text as string;
    }
  };
}

function bytesOf(value: unknown): Uint8Array {
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  if (!isView(value)) throw new TypeError('Not an ArrayBuffer or a view of one');
  return new Uint8Array(value.buffer as ArrayBuffer, value.byteOffset, value.byteLength);
}

function base64(queryChild: QueryChild, direction: 'atob' | 'btoa', text: string): string {
  const answer = queryChild(direction, text);
  if (answer !== undefined) return answer as string;
  const error = new Error(
    direction === 'atob' ? 'The text is not base64' : 'The text has characters beyond Latin-1',
  );
  put(error, 'name', 'InvalidCharacterError', false);
  throw error;
}

const MAX_RANDOM_BYTES = 65_536;

function fillRandomly<View extends ArrayBufferView>(queryChild: QueryChild, view: View): View {
  const bytes = bytesOf(view);
  if (bytes.length > MAX_RANDOM_BYTES) throw new RangeError(`More than ${MAX_RANDOM_BYTES} bytes asked for`);
  const random = queryChild('random', bytes.length) as Uint8Array;
  for (let i = 0; i < bytes.length; i++) bytes[i] = random[i] as number;
  return view;
}
