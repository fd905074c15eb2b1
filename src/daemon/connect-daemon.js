// Plain JavaScript: every client session starts `pml serve`, which must start fast, and on any Node ≥ 20.
import { spawn } from 'node:child_process';
import { createConnection } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { homeOf } from '../home.js';
import { packageFile } from '../package-files.js';
import { runtimePath } from '../runtime.js';
import { ownershipAdvice, ownershipProblem, socketPathOf } from './socket-path.js';
import { PROTOCOL_VERSION, readLine } from './socket-protocol.js';

const TIMEOUT_MS = 60_000;
const RETRY_MS = 25;
/** How long to wait for the owner of a home, which may be starting or stopping, before the next attempt to start. */
const OWNER_MS = 1500;

/**
 * @typedef {Record<string, string | undefined>} Env
 * @typedef {{ code: string, message: string, hint?: string }} Refusal
 * @typedef {(message: string) => void} OnProgress
 */

/** A failure that the daemon, or its start, explained. */
export class DaemonConnectError extends Error {
  /** @param {Refusal} refusal */
  constructor({ code, message, hint }) {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}

/**
 * Connects to the daemon of this home, started if none runs, and exchanges the handshake.
 * Returns null if none runs and `start` is false.
 * @param {{ env: Env, handshake: object, start?: boolean, onProgress?: OnProgress, onStarting?: () => void, timeoutMs?: number }} options
 *   `onStarting` is called if nobody listens, before a daemon is started.
 * @returns {Promise<{ socket: import('node:net').Socket, reply: Record<string, unknown> } | null>}
 */
export async function connectDaemon({
  env,
  handshake,
  start = true,
  onProgress = () => {},
  onStarting = () => {},
  timeoutMs = TIMEOUT_MS,
}) {
  const home = homeOf(env);
  const path = socketPathOf(home);
  const deadline = performance.now() + timeoutMs;
  let startAgainAt = 0;
  let isStarting = false;
  for (;;) {
    assertOwned(home, path);
    const socket = await connectTo(path);
    if (!socket && !start) return null;
    if (!socket && !isStarting) {
      isStarting = true;
      onStarting();
    }
    // Many clients may start a daemon at once: the losers must not slow the winner down by starting again and again.
    if (!socket && performance.now() >= startAgainAt && !(await startDaemon(env, onProgress)))
      startAgainAt = performance.now() + OWNER_MS;
    const reply = socket && (await exchangeHandshake(socket, handshake, deadline));
    if (socket && reply?.ok) return { socket, reply };
    socket?.destroy();
    if (reply?.error && reply.error.code !== 'daemon_draining') throw new DaemonConnectError(reply.error);
    if (performance.now() >= deadline) {
      throw new DaemonConnectError({
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
  throw new DaemonConnectError({ code: 'home_unusable', message, hint: ownershipAdvice(home, path) });
}

/**
 * @param {string} path
 * @returns {Promise<import('node:net').Socket | undefined>}
 */
function connectTo(path) {
  return new Promise((done) => {
    const socket = createConnection(path);
    socket.once('connect', () => done(socket));
    // Nobody listens, or the socket is a dead daemon's, which the next one to start removes.
    socket.once('error', () => done(undefined));
  });
}

/**
 * @param {import('node:net').Socket} socket
 * @param {object} handshake
 * @param {number} deadline
 * @returns {Promise<{ ok?: boolean, error?: Refusal } & Record<string, unknown> | undefined>}
 */
async function exchangeHandshake(socket, handshake, deadline) {
  socket.on('error', () => {});
  socket.write(`${JSON.stringify({ dialect: PROTOCOL_VERSION, ...handshake })}\n`);
  // A daemon that is suspended (SIGSTOP) accepts connections, but answers none.
  const timer = setTimeout(() => socket.destroy(), Math.max(1, deadline - performance.now()));
  const line = await readLine(socket, 10 * 1024 * 1024);
  clearTimeout(timer);
  return line === undefined ? undefined : JSON.parse(line);
}

/**
 * Starts a daemon in the background and waits for its report. If two are started at the same moment, one gets the home;
 * the other reports that and exits, and both callers then connect to the winner.
 * @param {Env} env
 * @param {OnProgress} onProgress
 * @returns {Promise<boolean>} true if it listens, false if another one owns the home
 */
function startDaemon(env, onProgress) {
  const program = fileURLToPath(packageFile('bin/pml.js'));
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
    child.on('message', (/** @type {{ progress?: string, owned?: true, failed?: Refusal }} */ report) => {
      if (report.progress) onProgress(report.progress);
      else if (report.failed)
        release(() => fail(new DaemonConnectError(/** @type {Refusal} */ (report.failed))));
      else release(() => done(!report.owned));
    });
    child.once('error', (error) =>
      release(() =>
        fail(
          new DaemonConnectError({
            code: 'daemon_unreachable',
            message: `PML could not start: ${error.message}`,
          }),
        ),
      ),
    );
    child.once('exit', (code) =>
      release(() =>
        fail(
          new DaemonConnectError({
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
    throw new DaemonConnectError({
      code: 'daemon_unreachable',
      message: /** @type {Error} */ (error).message,
    });
  }
}
