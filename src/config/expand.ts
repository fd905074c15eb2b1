import { tokenAfterScheme } from '../secrets/index.ts';

export type Env = Readonly<Record<string, string | undefined>>;

export interface Expanded {
  text: string;
  /** What came from variables, by their names. */
  from: ReadonlyMap<string, string>;
  /** Why the text cannot be used; never holds a variable's value. */
  problem?: string;
}

const VARIABLE =
  /\$\$\{|\$\{(?:([A-Za-z_][A-Za-z0-9_]*)(?:\}|:-([^}]*)(\}?))|(env|input|command|config):[^}]*(\}?))/g;

/**
 * Replaces ${VAR} and ${VAR:-default} (used when VAR is unset or empty, as in a shell); $${ stands for a plain ${.
 * Any other ${…} stays: an argument may well hold a shell's or a program's own.
 */
export function expand(text: string, env: Env): Expanded {
  const from = new Map<string, string>();
  let problem: string | undefined;
  const expanded = text.replace(
    VARIABLE,
    (whole, name?: string, fallback?: string, close?: string, foreign?: string, foreignClose?: string) => {
      if (whole === '$${') return '${';
      if (foreignClose === '') return whole;
      if (foreign !== undefined) problem ??= `\${${foreign}:…} is another client's form; write \${NAME}`;
      if (name === undefined) return '';
      if (fallback?.includes('${')) problem ??= `the default of \${${name}:-…} may not hold another \${…}`;
      else if (close === '') problem ??= `\${${name}:-… has no closing "}"`;
      const value = Object.hasOwn(env, name) ? env[name] : undefined;
      if (fallback !== undefined && (value === undefined || value === '')) return fallback;
      if (value === undefined)
        problem ??= `the environment variable ${name} is not set; set it or write \${${name}:-default}`;
      else from.set(name, value);
      return value ?? '';
    },
  );
  return problem === undefined ? { text: expanded, from } : { text: '', from, problem };
}

// Their values stand in half of all log lines and are nobody's secret.
const PLAIN_VARIABLE =
  /^(HOME|USER|USERNAME|USERPROFILE|LOGNAME|PATH|PWD|SHELL|LANG|TERM|TMPDIR|TEMP|TMP|APPDATA|LOCALAPPDATA|XDG_.*|NODE_ENV)$/i;

/** Remembers what came from variables. */
export function addExpanded({ from }: Expanded, secrets: Set<string>): void {
  for (const [name, value] of from) if (!PLAIN_VARIABLE.test(name)) addSecret(value, secrets);
}

/** Remembers a value that logs must not show, but none so short that hiding it would garble every line. */
export function addSecret(value: string, secrets: Set<string>): void {
  if (value.length < 4) return;
  secrets.add(value);
  // A server may well repeat a token without the scheme it came with.
  const token = tokenAfterScheme(value);
  if (token !== undefined) secrets.add(token);
}
