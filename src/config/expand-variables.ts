import { tokenAfterScheme } from '../secrets/index.ts';

export type Env = Readonly<Record<string, string | undefined>>;

export interface Expanded {
  text: string;
  /** The values taken from variables, by name. */
  from: ReadonlyMap<string, string>;
  /** Why the text cannot be used; never contains a variable's value. */
  problem?: string;
  /** The text itself is right, but a variable that it names is not set. */
  isUnset?: boolean;
}

const VARIABLE =
  /\$\$\{|\$\{(?:([A-Za-z_][A-Za-z0-9_]*)(?:\}|:-([^}]*)(\}?))|(env|input|command|config):[^}]*(\}?))/g;

/**
 * Replaces ${VAR} and ${VAR:-default} (used when VAR is unset or empty, as in a shell); $${ escapes a plain ${.
 * `fallback` has the variables of the config's own envFile. Any other ${…} stays: an argument may contain placeholders of a shell or a program.
 */
export function expand(text: string, env: Env, fallback: Env = {}): Expanded {
  const from = new Map<string, string>();
  let problem: string | undefined;
  let unset: string | undefined;
  const expanded = text.replace(
    VARIABLE,
    (whole, name?: string, otherwise?: string, close?: string, foreign?: string, foreignClose?: string) => {
      if (whole === '$${') return '${';
      if (foreignClose === '') return whole;
      if (foreign !== undefined) problem ??= `\${${foreign}:…} is another client's form; write \${NAME}`;
      if (name === undefined) return '';
      if (otherwise?.includes('${')) problem ??= `the default of \${${name}:-…} may not hold another \${…}`;
      else if (close === '') problem ??= `\${${name}:-… has no closing "}"`;
      const value = [env, fallback].find((known) => Object.hasOwn(known, name))?.[name];
      if (otherwise !== undefined && (value === undefined || value === '')) return otherwise;
      if (value === undefined)
        unset ??= `the environment variable ${name} is not set; set it or write \${${name}:-default}`;
      else from.set(name, value);
      return value ?? '';
    },
  );
  if (problem !== undefined) return { text: '', from, problem };
  return unset === undefined ? { text: expanded, from } : { text: '', from, problem: unset, isUnset: true };
}

/** `$${` escapes a plain `${`. */
const NAMED_VARIABLE = /\$\$\{|\$\{([A-Za-z_]\w*)/g;

/** Lists the variables that the texts in a JSON value name, each once. */
export function variablesOf(value: unknown): string[] {
  const found = [...JSON.stringify(value ?? null).matchAll(NAMED_VARIABLE)].flatMap(([, name]) => name ?? []);
  return [...new Set(found)];
}

// The values of these variables occur in half of all log lines, and are no secrets.
const PLAIN_VARIABLE =
  /^(HOME|USER|USERNAME|USERPROFILE|LOGNAME|PATH|PWD|SHELL|LANG|TERM|TMPDIR|TEMP|TMP|APPDATA|LOCALAPPDATA|XDG_.*|NODE_ENV)$/i;

/** Adds the values that came from variables to the secrets. */
export function addExpanded({ from }: Expanded, secrets: Set<string>): void {
  for (const [name, value] of from) if (!PLAIN_VARIABLE.test(name)) addSecret(value, secrets);
}

/** Adds a value that logs must not show. Very short values are left out: hiding them would garble every line. */
export function addSecret(value: string, secrets: Set<string>): void {
  if (value.length < 4) return;
  secrets.add(value);
  // A server may repeat a token without its scheme, such as Bearer.
  const token = tokenAfterScheme(value);
  if (token !== undefined) secrets.add(token);
}
