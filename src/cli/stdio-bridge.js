// Plain JavaScript, and loads nothing it does not need: see bin/pml.js.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { configFileOf } from '../config-file.js';
import { connectDaemon, DaemonConnectError } from '../daemon/connect-daemon.js';
import { homeOf } from '../home.js';
import { builtFile, packageFile } from '../package-files.js';
import { readStart } from '../remembered-answers.js';
import { EarlyAnswers } from './early-answers.js';

/** @typedef {{ agent?: string, capability?: string, config?: string }} ServeOptions */

/** @type {Record<string, keyof ServeOptions | undefined>} */
const FLAGS = { '--agent': 'agent', '--capability': 'capability', '--config': 'config' };

/**
 * `pml serve`: copies bytes between a client's stdio and the daemon's socket. While a daemon starts, the client's first
 * requests are answered as they were last time, or, in a new home, with PML's own tools.
 * @param {ServeOptions} options
 */
export async function serve(options) {
  const { version } = JSON.parse(readFileSync(packageFile('package.json'), 'utf8'));
  const handshake = { version, kind: 'session', cwd: process.cwd(), env: process.env, ...options };
  /** @type {EarlyAnswers | undefined} */
  let early;
  let isAttached = false;
  const onStarting = () => {
    const answers = recall(version, options);
    if (answers) early = new EarlyAnswers(answers, { listsAreWhole: true });
    else if (isNewHome()) {
      void prepareFirst(options).then((first) => {
        if (first && !isAttached) early = new EarlyAnswers(first, { listsAreWhole: false });
      }, ignore);
    }
  };
  try {
    const connection = await connectDaemon({ env: process.env, handshake, onProgress: warn, onStarting });
    if (!connection) return;
    isAttached = true;
    if (typeof connection.reply.notice === 'string') warn(connection.reply.notice);
    connectStdio(connection.socket, early);
  } catch (error) {
    if (!(error instanceof DaemonConnectError)) throw error;
    early?.fail([error.message, error.hint].filter(Boolean).join(' '));
    warn(error.hint ? `${error.message}\n     ${error.hint}` : error.message);
    process.exit(1);
  }
}

/**
 * @param {string} version
 * @param {ServeOptions} options
 */
function recall(version, { agent, capability, config }) {
  const { env } = process;
  const file = configFileOf(process.cwd(), env, config ?? (env.PML_CONFIG?.trim() || undefined));
  return readStart(homeOf(env), version, { file, agent, capability }, env);
}

/**
 * Returns whether the home has no database yet, so that an early answer leaves out nothing that PML knows. Scripts that
 * need the daemon as soon as `initialize` is answered set PML_FIRST_ANSWERS=wait.
 */
function isNewHome() {
  const { env } = process;
  if (env.PML_FIRST_ANSWERS?.trim() === 'wait' || env.PML_DATABASE_URL?.trim()) return false;
  return !existsSync(join(homeOf(env), 'db'));
}

/**
 * Makes the answers to the first client of a home, if PML was built with a recording of them.
 * @param {ServeOptions} options
 */
async function prepareFirst({ agent, capability, config }) {
  const recording = builtFile('first-answers.json');
  // While PML is built there is no recording: the build starts PML to make it.
  if (agent !== undefined || capability !== undefined || !recording || !existsSync(recording))
    return undefined;
  const { firstAnswers } = await import('./first-start.ts');
  const recorded = JSON.parse(readFileSync(recording, 'utf8'));
  return firstAnswers(recorded, { cwd: process.cwd(), env: process.env, config });
}

/** Early answers are optional: without them the daemon answers. */
function ignore() {}

/**
 * @param {import('node:net').Socket} socket
 * @param {EarlyAnswers | undefined} early
 */
function connectStdio(socket, early) {
  let clientLeft = process.stdin.readableEnded;
  process.stdin.once('end', () => {
    clientLeft = true;
  });
  // The client may close its end without reading every answer.
  process.stdout.on('error', () => process.exit(0));
  if (early) early.connect(socket);
  else {
    process.stdin.pipe(socket);
    socket.pipe(process.stdout, { end: false });
  }
  socket.once('close', () => {
    if (clientLeft) process.exit(0);
    const log = join(homeOf(process.env), 'log', 'pml.log');
    warn(
      `PML's background process ended, and this session with it. Reconnect to start it again. Its log: ${log}`,
    );
    process.exit(1);
  });
}

/**
 * Reads the options of `pml serve`; exits with 2 on any other.
 * @param {string[]} args
 */
export function parseServeOptions(args) {
  /** @type {ServeOptions} */
  const options = {};
  for (let i = 0; i < args.length; i++) {
    const [flag, inline] = /** @type {string} */ (args[i]).split(/=(.*)/s);
    const option = FLAGS[/** @type {string} */ (flag)];
    if (!option) {
      warn(
        `pml serve has no option ${args[i]}. It takes ${Object.keys(FLAGS).join(', ')}. Try pml serve --help.`,
      );
      process.exit(2);
    }
    const value = inline ?? args[++i];
    if (value === undefined) {
      warn(`${flag} needs a value.`);
      process.exit(2);
    }
    options[option] = value;
  }
  return options;
}

/** @param {string} message */
function warn(message) {
  process.stderr.write(`pml: ${message}\n`);
}
