// Plain JavaScript: `pml serve` is started by every client session, so it must start fast and on any Node ≥ 20.
import { spawn } from 'node:child_process';
import { createConnection } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { homeOf } from '../home.js';
import { runtimePath } from '../runtime.js';
import { ownershipAdvice, ownershipProblem, socketPathOf } from './socket-path.js';

/** The daemon's socket language. Raised when an older program could not talk to a newer daemon. */
export const PROTOCOL_VERSION = 1;
const PATIENCE_MS = 60_000;
const RETRY_MS = 25;
/** How long the owner of a home is waited for before another start is tried: it may be starting, or stopping. */
const OWNER_MS = 1500;

/**
 * @typedef {Record<string, string | undefined>} Env
 * @typedef {{ code: string, message: string, hint?: string }} Refusal
 * @typedef {(message: string) => void} OnProgress
 */

/** A failure that the daemon, or its start, put into words. */
export class AttachError extends Error {
  /** @param {Refusal} refusal */
  constructor({ code, message, hint }) {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}

/**
 * Connects to the daemon of this home, after starting it if none runs, and introduces itself.
 * Without `start`, answers null when none runs.
 * @param {{ env: Env, hello: object, start?: boolean, onProgress?: OnProgress, patienceMs?: number }} options
 * @returns {Promise<{ socket: import('node:net').Socket, welcome: Record<string, unknown> } | null>}
 */
export async function attach({ env, hello, start = true, onProgress = () => {}, patienceMs = PATIENCE_MS }) {
  const home = homeOf(env);
  const path = socketPathOf(home);
  const deadline = performance.now() + patienceMs;
  let startAgainAt = 0;
  for (;;) {
    assertOwned(home, path);
    const socket = await connectTo(path);
    if (!socket && !start) return null;
    // Many that start at once must not use up the time of the one that won with trying again.
    if (!socket && performance.now() >= startAgainAt && !(await startDaemon(env, onProgress)))
      startAgainAt = performance.now() + OWNER_MS;
    const welcome = socket && (await introduce(socket, hello, deadline));
    if (socket && welcome?.ok) return { socket, welcome };
    socket?.destroy();
    if (welcome?.error && welcome.error.code !== 'daemon_draining') throw new AttachError(welcome.error);
    if (performance.now() >= deadline) {
      throw new AttachError({
        code: 'daemon_unreachable',
        message: `PML's background process does not answer on ${path}.`,
        hint: `See ${join(home, 'log')} for the reason, then try again.`,
      });
    }
    await sleep(RETRY_MS);
  }
}

/**
 * @param {string} home
 * @param {string} path
 */
function assertOwned(home, path) {
  const problem = ownershipProblem(home, path);
  if (!problem) return;
  const message = `PML does not connect: ${problem}, so another user may listen there.`;
  throw new AttachError({ code: 'home_unusable', message, hint: ownershipAdvice(home, path) });
}

/**
 * @param {string} path
 * @returns {Promise<import('node:net').Socket | undefined>}
 */
function connectTo(path) {
  return new Promise((done) => {
    const socket = createConnection(path);
    socket.once('connect', () => done(socket));
    // Nobody there, or a dead owner's socket: whoever starts the daemon clears it away.
    socket.once('error', () => done(undefined));
  });
}

/**
 * @param {import('node:net').Socket} socket
 * @param {object} hello
 * @param {number} deadline
 * @returns {Promise<{ ok?: boolean, error?: Refusal } & Record<string, unknown> | undefined>}
 */
async function introduce(socket, hello, deadline) {
  socket.on('error', () => {});
  socket.write(`${JSON.stringify({ dialect: PROTOCOL_VERSION, ...hello })}\n`);
  // A process that was stopped in its tracks takes connections and answers none.
  const timer = setTimeout(() => socket.destroy(), deadline - performance.now());
  const line = await readLine(socket, 10 * 1024 * 1024);
  clearTimeout(timer);
  return line === undefined ? undefined : JSON.parse(line);
}

/**
 * Reads one line and leaves what follows it in the stream.
 * @param {import('node:net').Socket} socket
 * @param {number} maxBytes
 * @returns {Promise<string | undefined>} undefined when the stream ended first
 */
export function readLine(socket, maxBytes) {
  return new Promise((done) => {
    /** @type {Buffer[]} */
    const parts = [];
    let held = 0;
    /** @param {string | undefined} line */
    const finish = (line) => {
      socket.pause();
      socket.off('data', onData).off('end', onEnd).off('close', onEnd);
      done(line);
    };
    const onEnd = () => finish(undefined);
    /** @param {Buffer} chunk */
    const onData = (chunk) => {
      const end = chunk.indexOf(10);
      parts.push(end === -1 ? chunk : chunk.subarray(0, end));
      held += chunk.length;
      if (end !== -1) {
        finish(Buffer.concat(parts).toString('utf8'));
        if (end + 1 < chunk.length) socket.unshift(chunk.subarray(end + 1));
      } else if (held > maxBytes) finish(undefined);
    };
    // A line before this one has left the stream paused.
    socket.on('data', onData).on('end', onEnd).on('close', onEnd).resume();
  });
}

/**
 * Starts a daemon in the background and waits for its word. Of two started in the same instant one wins the home; the
 * other says so and is gone, and both callers meet the winner.
 * @param {Env} env
 * @param {OnProgress} onProgress
 * @returns {Promise<boolean>} whether it listens; if not, another one owns the home
 */
function startDaemon(env, onProgress) {
  const program = fileURLToPath(new URL('../../bin/pml.js', import.meta.url));
  return new Promise((done, fail) => {
    const child = spawn(runtime(), [program, 'daemon'], {
      env: /** @type {NodeJS.ProcessEnv} */ ({ ...env, PML_HOME: homeOf(env) }),
      cwd: homedir(),
      detached: true,
      windowsHide: true,
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    /** @param {() => void} settle */
    const release = (settle) => {
      child.removeAllListeners();
      if (child.connected) child.disconnect();
      child.unref();
      settle();
    };
    child.on('message', (/** @type {{ progress?: string, owned?: true, failed?: Refusal }} */ word) => {
      if (word.progress) onProgress(word.progress);
      else if (word.failed) release(() => fail(new AttachError(/** @type {Refusal} */ (word.failed))));
      else release(() => done(!word.owned));
    });
    child.once('error', (error) =>
      release(() =>
        fail(
          new AttachError({ code: 'daemon_unreachable', message: `PML could not start: ${error.message}` }),
        ),
      ),
    );
    child.once('exit', (code) =>
      release(() =>
        fail(
          new AttachError({
            code: 'daemon_unreachable',
            message: `PML's background process ended while it started (exit code ${code}).`,
            hint: 'Run `pml doctor` to find out why.',
          }),
        ),
      ),
    );
  });
}

function runtime() {
  try {
    return runtimePath();
  } catch (error) {
    throw new AttachError({ code: 'daemon_unreachable', message: /** @type {Error} */ (error).message });
  }
}
