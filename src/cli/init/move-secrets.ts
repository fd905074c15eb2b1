import { parseEnv } from 'node:util';
import { isSecretSetting } from '../../secrets/index.ts';
import type { Entry } from './convert-entry.ts';
import { moveUrlSecrets } from './move-url-secrets.ts';

/** The entries without their secrets, and the text of the env file that holds these. */
export interface MovedSecrets {
  servers: Record<string, Entry>;
  /** The whole text of the env file; undefined if nothing was moved. */
  envText: string | undefined;
  /** The variables that now hold secrets. */
  names: string[];
}

/**
 * Moves secrets in plain text out of server entries: each becomes `${NAME}`, and the env file, which only its owner can read, holds
 * the value. `taken` are variables that mean something else already.
 */
export function moveSecrets(
  servers: Readonly<Record<string, Entry>>,
  existing: string,
  taken: Readonly<Record<string, string | undefined>>,
): MovedSecrets {
  const variables = new Map<string, string>();
  const known = parseEnv(existing) as Record<string, string>;
  const move = (server: string, key: string, value: string): string => {
    const line = quoted(value);
    if (value.includes('${') || line === undefined) return value;
    const name = freeName(server, key, (name) => {
      const other = variables.get(name) ?? known[name] ?? taken[name];
      return other === undefined || other === value;
    });
    variables.set(name, value);
    return `\${${name}}`;
  };
  const moved = Object.entries(servers).map(([name, entry]) => [name, withoutSecrets(name, entry, move)]);
  const added = [...variables].filter(([name, value]) => known[name] !== value);
  const lines = added.map(([name, value]) => `${name}=${quoted(value)}\n`);
  const start = existing === '' || existing.endsWith('\n') ? existing : `${existing}\n`;
  return {
    servers: Object.fromEntries(moved),
    envText: variables.size === 0 ? undefined : start + lines.join(''),
    names: [...variables.keys()],
  };
}

type Move = (server: string, key: string, value: string) => string;

function withoutSecrets(server: string, entry: Entry, move: Move): Entry {
  const { args, env, headers, url, ...rest } = entry;
  const moveHere = (key: string, value: string) => move(server, key, value);
  const moveAll = (record: Record<string, string>) =>
    Object.fromEntries(
      Object.entries(record).map(([key, value]) => [key, withoutSecret(key, value, moveHere)]),
    );
  // Variables and headers first: they keep their own names, and arguments get names that are still free.
  const kept = { ...(env && { env: moveAll(env) }), ...(headers && { headers: moveAll(headers) }) };
  const words = args?.map((arg, at) => argumentWithoutSecret(args[at - 1] ?? '', arg, moveHere));
  const address = url === undefined ? {} : { url: moveUrlSecrets(url, moveHere) };
  return { ...rest, ...address, ...(words && { args: words }), ...kept };
}

type MoveHere = (key: string, value: string) => string;

/** Moves a setting that is secret, or the secrets in an address. */
function withoutSecret(key: string, value: string, move: MoveHere): string {
  return isSecretSetting(key, value) ? move(key, value) : moveUrlSecrets(value, move);
}

/** Moves the value after a flag like `--api-key`, or after its "=", and the secrets in an address. */
function argumentWithoutSecret(before: string, arg: string, move: MoveHere): string {
  const [, flag, value] = /^(--[\w-]+)=(.+)$/s.exec(arg) ?? [];
  if (flag && value) return `${flag}=${withoutSecret(flag, value, move)}`;
  const isValue = /^--?\w/.test(before) && !arg.startsWith('-');
  return isValue ? withoutSecret(before, arg, move) : moveUrlSecrets(arg, move);
}

/** Names a variable by its key (GITHUB_TOKEN), by server and key (GITHUB_AUTHORIZATION), else with a number. */
function freeName(server: string, key: string, isFree: (name: string) => boolean): string {
  const [own, prefix] = [variableName(key), variableName(server)];
  const isTelling = /_/.test(own) && own.length > 6;
  const names = [...(isTelling ? [own] : []), own.startsWith(`${prefix}_`) ? own : `${prefix}_${own}`];
  const found = names.find(isFree);
  if (found !== undefined) return found;
  for (let count = 2; ; count += 1) {
    const numbered = `${names.at(-1)}_${count}`;
    if (isFree(numbered)) return numbered;
  }
}

function variableName(text: string): string {
  const name = text
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_|_$/g, '')
    .toUpperCase();
  return /^[A-Z]/.test(name) ? name : `PML_${name}`;
}

/** Quotes a value so that it is read back exactly; undefined if no quotes do. */
function quoted(value: string): string | undefined {
  const forms = ["'", '"', '`'].map((quote) => `${quote}${value}${quote}`);
  return forms.find((form) => parseEnv(`X=${form}\n`).X === value);
}
