// Plain JavaScript, and loads nothing it does not need: see bin/pml.js.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AttachError, attach } from '../daemon/attach.js';
import { homeOf } from '../home.js';

/**
 * `pml serve`: a pipe of bytes between a client's stdio and the daemon.
 * @param {string[]} args
 */
export async function serve(args) {
  const options = parse(args);
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  const handshake = { version, kind: 'session', cwd: process.cwd(), env: process.env, ...options };
  try {
    const attached = await attach({ env: process.env, handshake, onProgress: say });
    if (!attached) return;
    if (typeof attached.reply.notice === 'string') say(attached.reply.notice);
    connectStdio(attached.socket);
  } catch (error) {
    if (!(error instanceof AttachError)) throw error;
    say(error.hint ? `${error.message}\n     ${error.hint}` : error.message);
    process.exit(1);
  }
}

/** @param {import('node:net').Socket} socket */
function connectStdio(socket) {
  let clientLeft = false;
  process.stdin.once('end', () => {
    clientLeft = true;
  });
  // The client may go without reading all that it asked for.
  process.stdout.on('error', () => process.exit(0));
  process.stdin.pipe(socket);
  socket.pipe(process.stdout, { end: false });
  socket.once('close', () => {
    if (clientLeft) process.exit(0);
    const log = join(homeOf(process.env), 'log', 'pml.log');
    say(
      `PML's background process ended, and this session with it. Reconnect to start it again. Its log: ${log}`,
    );
    process.exit(1);
  });
}

/** @param {string[]} args */
function parse(args) {
  /** @type {{ agent?: string, config?: string }} */
  const options = {};
  for (let i = 0; i < args.length; i++) {
    const [flag, inline] = /** @type {string} */ (args[i]).split(/=(.*)/s);
    if (flag !== '--agent' && flag !== '--config') {
      say(`unknown option ${args[i]}. Try pml serve --help.`);
      process.exit(2);
    }
    const value = inline ?? args[++i];
    if (value === undefined) {
      say(`${flag} needs a value.`);
      process.exit(2);
    }
    options[flag === '--agent' ? 'agent' : 'config'] = value;
  }
  return options;
}

/** @param {string} message */
function say(message) {
  process.stderr.write(`pml: ${message}\n`);
}
