import { CODE_FILE, type Failure, type Thrown } from '../protocol.ts';

const POSITION = new RegExp(`${CODE_FILE.replace('.', '\\.')}:(\\d+):(\\d+)`);
const MAX_FRAMES = 20;
const NO_MODULES = 'The sandbox has no modules: call tools through mcp.';
const NO_NETWORK = 'The sandbox has no network: call a tool through mcp.';
const NO_FILES = 'The sandbox has no file system: call a tool through mcp.';
const NO_FILES_OR_NETWORK = 'The sandbox has no file system or network: call a tool through mcp.';
const NO_PROCESS = 'The sandbox has no process: take what the code needs as args.';
const NO_PAGE = 'The sandbox is no browser, and has no page: call a tool through mcp.';

/** Globals that programs expect elsewhere, and what to use here instead. */
const ABSENT_GLOBALS: Record<string, string> = {
  require: NO_MODULES,
  module: NO_MODULES,
  exports: NO_MODULES,
  process: NO_PROCESS,
  __dirname: NO_FILES,
  __filename: NO_FILES,
  global: 'Use globalThis.',
  Buffer: 'The sandbox has no Buffer: use Uint8Array, TextEncoder, atob and btoa.',
  fetch: NO_NETWORK,
  axios: NO_NETWORK,
  XMLHttpRequest: NO_NETWORK,
  WebSocket: NO_NETWORK,
  EventSource: NO_NETWORK,
  Request: NO_NETWORK,
  Response: NO_NETWORK,
  Headers: NO_NETWORK,
  fs: NO_FILES,
  Deno: NO_FILES_OR_NETWORK,
  Bun: NO_FILES_OR_NETWORK,
  window: NO_PAGE,
  document: NO_PAGE,
  localStorage: NO_PAGE,
  WebAssembly: 'The sandbox has no WebAssembly.',
  SharedArrayBuffer: 'The sandbox has no shared memory.',
  Atomics: 'The sandbox has no shared memory.',
  setImmediate: 'Use setTimeout or queueMicrotask.',
};

/** Turns an uncaught error into the failure that the caller sees. */
export function failureOf(thrown: Thrown, code: string): Failure {
  const failure: Failure = { kind: 'exception', message: thrown.message, ...positionIn(thrown.stack) };
  if (thrown.name && thrown.name !== 'Error') failure.message = `${thrown.name}: ${thrown.message}`;
  if (thrown.name) failure.name = thrown.name;
  if (thrown.code !== undefined) failure.code = thrown.code;
  const stack = ownFrames(thrown.stack);
  if (stack) failure.stack = stack;
  const absent = thrown.name === 'ReferenceError' && /^(\w+) is not defined$/.exec(thrown.message)?.[1];
  const hint = absent && Object.hasOwn(ABSENT_GLOBALS, absent) ? ABSENT_GLOBALS[absent] : undefined;
  if (hint) return { ...failure, kind: 'denied', message: `${failure.message}. ${hint}` };
  // The message with which isolated-vm rejects every dynamic import.
  if (thrown.message === 'Not supported' && /\bimport\s*\(/.test(code))
    return { ...failure, kind: 'denied', message: `import() failed. ${NO_MODULES}` };
  if (thrown.denied) failure.kind = 'denied';
  return failure;
}

/** The failure of code that does not compile. V8's message ends with the position. */
export function syntaxFailure(message: string, code: string): Failure {
  const text = message.replace(/ \[[^[\]]*\]$/, '');
  const hint = /import|export/.test(text) ? ` ${NO_MODULES}` : '';
  const failure: Failure = { kind: 'syntax', name: 'SyntaxError', message: `SyntaxError: ${text}.${hint}` };
  const { line, column } = positionIn(message);
  if (line === undefined) return failure;
  const lines = code.split(/\r\n|[\n\r\u2028\u2029]/);
  if (line <= lines.length) return { ...failure, line, column };
  // V8 looked for more of the caller's code and found the end of PML's wrapper.
  const last = lines.at(-1) ?? '';
  const unclosed = 'SyntaxError: Unexpected end of input: a bracket, brace or quote is not closed.';
  return { ...failure, message: unclosed, line: lines.length, column: last.length + 1 };
}

function positionIn(text: string): { line?: number; column?: number } {
  const found = POSITION.exec(text);
  return found ? { line: Number(found[1]), column: Number(found[2]) } : {};
}

/** Keeps the frames in the caller's code, and drops those of PML's own code in the guest. */
function ownFrames(stack: string): string {
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line) && POSITION.test(line));
  return frames.slice(0, MAX_FRAMES).join('\n');
}
