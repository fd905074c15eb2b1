import { IGNORED_KEYS, serverEntry } from '../../config/index.ts';
import { isJsonObject, type JsonObject } from '../../json.ts';
import { isSecretSetting } from '../../secrets/index.ts';
import type { Place } from './paths.ts';
import { type Inputs, translate } from './placeholders.ts';

/** A server entry as pml.json holds it. */
export interface Entry {
  type?: string;
  command?: string;
  args?: string[];
  env?: Record<string, string>;
  envFile?: string;
  cwd?: string;
  url?: string;
  headers?: Record<string, string>;
  disabled?: boolean;
  pml?: { tools: string[] };
}

/** An entry with what had to change on the way, or why it cannot be taken. */
export type Converted = { entry: Entry; notes: string[] } | { skipped: string };

/** Brings another client's entry into the form of pml.json. */
export function convert(given: unknown, place: Place, inputs: Inputs): Converted {
  if (!isJsonObject(given)) return { skipped: 'is not an object' };
  const raw = flatten(given);
  if (isPml(raw, place)) return { skipped: 'is PML itself' };
  const notes = new Set<string>();
  const words = (value: unknown) => translateAll(value, place, inputs, notes);
  const command = words(raw.command);
  const url = words(raw.url ?? raw.serverUrl ?? raw.httpUrl);
  if ((command === undefined) === (url === undefined))
    return { skipped: 'has no "command" and no "url", or both' };
  if (url !== undefined && !/^https?:\/\/|^\$\{/i.test(String(url)))
    return { skipped: 'has a "url" that is not http' };
  const entry =
    url === undefined
      ? {
          command,
          args: words(raw.args),
          env: words(raw.env),
          envFile: words(raw.envFile),
          cwd: words(raw.cwd),
        }
      : { type: typeOf(raw), url, headers: words(raw.headers) };
  const whole = { ...entry, ...(raw.disabled === true ? { disabled: true } : {}), ...allowed(raw) };
  const tidy = Object.fromEntries(Object.entries(whole).filter(([, value]) => !isNothing(value)));
  const parsed = serverEntry.safeParse(tidy);
  // Only a remote server keeps its type here.
  const bad = parsed.success
    ? tidy.type === 'stdio'
      ? 'type'
      : undefined
    : parsed.error.issues[0]?.path.join('.');
  if (bad !== undefined) return { skipped: `has a value that PML cannot use at "${bad}"` };
  noteLosses(raw, url === undefined, notes);
  noteSecrets(tidy, notes);
  return { entry: tidy as Entry, notes: [...notes] };
}

function isNothing(value: unknown): boolean {
  return (
    value === undefined || (typeof value === 'object' && value !== null && Object.keys(value).length === 0)
  );
}

/** Cline's program nests what others write flat. */
function flatten(raw: JsonObject): JsonObject {
  const { transport, ...rest } = raw;
  return isJsonObject(transport) ? { ...transport, ...rest } : raw;
}

/** PML behind PML would call itself without end. */
function isPml(raw: JsonObject, { env }: Place): boolean {
  const words = [raw.command, ...(Array.isArray(raw.args) ? raw.args : [])].map(String);
  const program = /(^|[/\\])pml(\.exe|\.cmd)?$/i;
  if (program.test(words[0] ?? '')) return true;
  if (words.includes('serve') && words.some((word) => program.test(word) || /(^|[/\\])pml\.js$/.test(word)))
    return true;
  const url = typeof raw.url === 'string' ? URL.parse(raw.url) : null;
  return (
    url !== null &&
    /^(localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname) &&
    url.port === (env.PML_PORT || '3737')
  );
}

/** stdio and http go without saying. */
function typeOf(raw: JsonObject): string | undefined {
  const type = raw.type ?? raw.transportType;
  if (type === 'sse') return 'sse';
  return type === undefined || /^(http|streamable-?http)$/i.test(String(type)) ? undefined : String(type);
}

/** Copilot's and Gemini's lists of allowed tools; "*" is all of them. */
function allowed(raw: JsonObject): { pml?: { tools: string[] } } {
  const tools = raw.tools ?? raw.includeTools;
  if (!Array.isArray(tools) || tools.includes('*')) return {};
  return { pml: { tools: tools.map(String) } };
}

/** Strings with their placeholders rewritten; numbers, which some clients take for strings, as strings. */
function translateAll(value: unknown, place: Place, inputs: Inputs, notes: Set<string>): unknown {
  if (typeof value === 'string') return translate(value, place, inputs, notes);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return value.map((each) => translateAll(each, place, inputs, notes));
  if (!isJsonObject(value)) return value ?? undefined;
  const pairs = Object.entries(value).map(([key, each]) => [key, translateAll(each, place, inputs, notes)]);
  // VS Code unsets a variable by null; a program under PML does not see it unless it is given.
  return Object.fromEntries(pairs.filter(([, each]) => each !== undefined));
}

const TAKEN = new Set([
  'type',
  'transportType',
  'url',
  'serverUrl',
  'httpUrl',
  'disabled',
  'tools',
  'includeTools',
]);
const LOCAL = ['command', 'args', 'env', 'envFile', 'cwd'];

/** Tells of every key that meant something and is gone. */
function noteLosses(raw: JsonObject, isLocal: boolean, notes: Set<string>): void {
  const used = isLocal ? LOCAL : ['headers'];
  for (const [key, value] of Object.entries(raw)) {
    if (TAKEN.has(key) || used.includes(key) || isNothing(value) || value === false) continue;
    if (key === 'excludeTools' || key === 'disabledTools') {
      notes.add(`${key} is not taken over, so these tools are offered again: list the others in pml.tools`);
    } else if (key === 'oauth' || key === 'auth' || key === 'headersHelper') {
      notes.add(`${key} is not taken over: PML sends only what "headers" holds`);
    } else if (key === 'timeout') notes.add('timeout is not taken over: set pml.timeoutMs');
    else if (!(key in IGNORED_KEYS)) notes.add(`${key} is not taken over`);
  }
}

function noteSecrets(entry: Entry, notes: Set<string>): void {
  for (const { where, key } of plainSecrets(entry)) {
    const name = key.replace(/[^A-Za-z0-9]+/g, '_').toUpperCase();
    notes.add(`${where}.${key} is a secret in plain text: rather write \${${name}} and set ${name}`);
  }
}

/** The variables and headers of an entry that hold a secret itself, not the name of one. */
export function plainSecrets({ env = {}, headers = {} }: Entry): { where: 'env' | 'headers'; key: string }[] {
  const isPlain = ([key, value]: [string, string]) => !value.includes('${') && isSecretSetting(key, value);
  return [
    ...Object.entries(env)
      .filter(isPlain)
      .map(([key]) => ({ where: 'env' as const, key })),
    ...Object.entries(headers)
      .filter(isPlain)
      .map(([key]) => ({ where: 'headers' as const, key })),
  ];
}
