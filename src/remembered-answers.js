// Plain JavaScript: `pml serve` reads it before it has a daemon, on any Node ≥ 20.
import { createHash, createHmac } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * @typedef {import('./home.js').Env} Env
 * @typedef {{ file: string | undefined, agent: string | undefined, capability: string | undefined }} Asked Who is answered.
 * @typedef {{ files: readonly string[], env: readonly string[] }} Inputs What the answers depend on.
 * @typedef {Record<string, unknown>} Result
 */

const MAX_AGE_MS = 7 * 24 * 60 * 60 * 1000;
/** The largest file of remembered answers that is written or read. */
export const MAX_START_BYTES = 2 * 1024 * 1024;

/** The requests that a client sends before its user has asked for anything. Of a list, only the first page. */
const REMEMBERED = new Set([
  'initialize',
  'server/discover',
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
]);
const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';

/**
 * Returns the key of the answer to a request; undefined if it is not remembered. An answer depends on the version of the
 * protocol: `agreed` is the one that `initialize` asked for.
 * @param {{ id?: unknown, method?: unknown, params?: any }} message
 * @param {string | undefined} agreed
 * @returns {string | undefined}
 */
export function answerKey({ id, method, params }, agreed) {
  if (id === undefined || typeof method !== 'string' || !REMEMBERED.has(method)) return undefined;
  if (params?.cursor !== undefined) return undefined;
  const version =
    method === 'initialize' ? params?.protocolVersion : (params?._meta?.[VERSION_KEY] ?? agreed);
  return typeof version === 'string' ? `${method} ${version}` : undefined;
}

/** @param {string} home */
export function startFolder(home) {
  return join(home, 'starts');
}

/**
 * Returns where the answers to the clients of one config and identity are kept.
 * @param {string} home
 * @param {Asked} asked
 */
export function startFile(home, { file, agent, capability }) {
  const name = createHash('sha256')
    .update(JSON.stringify([file, agent, capability]))
    .digest('hex');
  return join(startFolder(home), `${name.slice(0, 32)}.json`);
}

/**
 * Returns an HMAC over everything on which the answers depend: the version of PML, the user, the config with its files,
 * and the variables that it uses. It is keyed, so that nobody can test guesses of the variables against it. Returns
 * undefined if the home has no key.
 * @param {string} home
 * @param {string} version
 * @param {Asked} asked
 * @param {Inputs} inputs
 * @param {Env} env
 * @returns {string | undefined}
 */
export function sealOf(home, version, { file, agent, capability }, { files, env: names }, env) {
  const key = contentOf(join(home, 'keys', 'instance.pem'));
  if (!key) return undefined;
  const digests = files.map((path) => {
    const content = contentOf(path);
    return content ? createHash('sha256').update(content).digest('hex') : null;
  });
  const values = names.map((name) => (Object.hasOwn(env, name) ? (env[name] ?? null) : null));
  const user = process.geteuid?.() ?? null;
  return createHmac('sha256', createHash('sha256').update('pml start memory').update(key).digest())
    .update(JSON.stringify([version, user, file, agent, capability, files, digests, names, values]))
    .digest('hex');
}

/** @param {string} path */
function contentOf(path) {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

/**
 * Returns how the clients of one config and identity were answered last, by `answerKey`; undefined if anything on which
 * that depends has changed since. These answers only list what there is: the daemon decides about everything else.
 * @param {string} home
 * @param {string} version
 * @param {Asked} asked
 * @param {Env} env
 * @returns {Record<string, Result> | undefined}
 */
export function readStart(home, version, asked, env) {
  const path = startFile(home, asked);
  try {
    const { size, mtimeMs } = statSync(path);
    if (size > MAX_START_BYTES || Date.now() - mtimeMs > MAX_AGE_MS) return undefined;
    const { files, env: names, seal, answers } = JSON.parse(readFileSync(path, 'utf8'));
    const isSame =
      typeof seal === 'string' && seal === sealOf(home, version, asked, { files, env: names }, env);
    return isSame && typeof answers === 'object' && answers !== null ? answers : undefined;
  } catch {
    // There is none, or it is not what PML wrote.
    return undefined;
  }
}
