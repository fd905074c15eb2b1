import { IGNORED_KEYS, serverEntry } from '../../config/index.ts';
import { isJsonObject, type JsonObject } from '../../json.ts';
import type { HostInfo } from './client-files.ts';
import { type Inputs, translatePlaceholders } from './placeholders.ts';

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

/** The converted entry with notes on what changed, or the reason it is skipped. */
export type Converted = { entry: Entry; notes: string[] } | { skipped: string };

/** Converts another client's server entry to the form of pml.json. */
export function convertEntry(given: unknown, host: HostInfo, inputs: Inputs): Converted {
  if (!isJsonObject(given)) return { skipped: 'is not an object' };
  if (given.source === 'extension') return { skipped: 'is an extension of Zed' };
  const raw = flatten(given);
  if (isPml(raw, host)) return { skipped: 'is PML itself' };
  const notes = new Set<string>();
  const translated = (value: unknown) => translateAll(value, host, inputs, notes);
  const command = translated(raw.command);
  const url = translated(raw.url ?? raw.serverUrl ?? raw.httpUrl);
  if ((command === undefined) === (url === undefined))
    return { skipped: 'has no "command" and no "url", or both' };
  if (url !== undefined && !/^https?:\/\/|^\$\{/i.test(String(url)))
    return { skipped: 'has a "url" that is not http' };
  const entry =
    url === undefined
      ? {
          command,
          args: translated(raw.args),
          env: translated(raw.env),
          envFile: translated(raw.envFile),
          cwd: translated(raw.cwd),
        }
      : { type: typeOf(raw), url, headers: translated(raw.headers) };
  const isOff = raw.disabled === true || raw.enabled === false;
  const whole = { ...entry, ...(isOff ? { disabled: true } : {}), ...allowedTools(raw) };
  const tidy = Object.fromEntries(Object.entries(whole).filter(([, value]) => !isEmpty(value)));
  const parsed = serverEntry.safeParse(tidy);
  // A local entry has no type by now, so `stdio` here came with a url.
  const bad = parsed.success
    ? tidy.type === 'stdio'
      ? 'type'
      : undefined
    : parsed.error.issues[0]?.path.join('.');
  if (bad !== undefined) return { skipped: `has a value that PML cannot use at "${bad}"` };
  noteLosses(raw, url === undefined, notes);
  return { entry: tidy as Entry, notes: [...notes] };
}

function isEmpty(value: unknown): boolean {
  return (
    value === undefined || (typeof value === 'object' && value !== null && Object.keys(value).length === 0)
  );
}

/** Lifts the keys that Cline nests under `transport`, and those that older versions of Zed nest under `command`. */
function flatten(raw: JsonObject): JsonObject {
  const { transport, command, ...rest } = raw;
  if (isJsonObject(transport)) return { ...transport, ...(command !== undefined && { command }), ...rest };
  if (!isJsonObject(command)) return raw;
  const { path, ...program } = command;
  return { command: path ?? null, ...program, ...rest };
}

/** Recognises PML's own entry: behind itself, PML would call itself without end. */
function isPml(raw: JsonObject, { env }: HostInfo): boolean {
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

/** Returns the type, if pml.json needs one: stdio and http are implied. */
function typeOf(raw: JsonObject): string | undefined {
  const type = raw.type ?? raw.transportType;
  if (type === 'sse') return 'sse';
  return type === undefined || /^(http|streamable-?http)$/i.test(String(type)) ? undefined : String(type);
}

/** Takes over the allowed tools that Copilot and Gemini list; "*" allows all. */
function allowedTools(raw: JsonObject): { pml?: { tools: string[] } } {
  const tools = raw.tools ?? raw.includeTools;
  if (!Array.isArray(tools) || tools.includes('*')) return {};
  return { pml: { tools: tools.map(String) } };
}

/** Rewrites the placeholders in all strings, and turns numbers into the strings that some clients mean by them. */
function translateAll(value: unknown, host: HostInfo, inputs: Inputs, notes: Set<string>): unknown {
  if (typeof value === 'string') return translatePlaceholders(value, host, inputs, notes);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return value.map((each) => translateAll(each, host, inputs, notes));
  if (!isJsonObject(value)) return value ?? undefined;
  const pairs = Object.entries(value).map(([key, each]) => [key, translateAll(each, host, inputs, notes)]);
  // VS Code unsets a variable with null. Under PML a program has only the variables it is given, so null is dropped.
  return Object.fromEntries(pairs.filter(([, each]) => each !== undefined));
}

const CONVERTED_KEYS = new Set([
  'type',
  'transportType',
  'url',
  'serverUrl',
  'httpUrl',
  'disabled',
  'enabled',
  'source',
  'tools',
  'includeTools',
]);
const STDIO_KEYS = ['command', 'args', 'env', 'envFile', 'cwd'];

/** Notes every key that had a meaning and is not taken over. */
function noteLosses(raw: JsonObject, isLocal: boolean, notes: Set<string>): void {
  const used = isLocal ? STDIO_KEYS : ['headers'];
  for (const [key, value] of Object.entries(raw)) {
    if (CONVERTED_KEYS.has(key) || used.includes(key) || isEmpty(value) || value === false) continue;
    if (key === 'excludeTools' || key === 'disabledTools') {
      notes.add(`${key} is not taken over, so these tools are offered again: list the others in pml.tools`);
    } else if (key === 'oauth' || key === 'auth' || key === 'headersHelper') {
      notes.add(`${key} is not taken over: PML sends only what "headers" holds`);
    } else if (key === 'timeout') notes.add('timeout is not taken over: set pml.timeoutMs');
    else if (!(key in IGNORED_KEYS)) notes.add(`${key} is not taken over`);
  }
}
