import path from 'node:path';
import type { Place } from './paths.ts';

/** What a client asks its user for, by id: VS Code's `inputs`. */
export type Inputs = ReadonlyMap<string, string | undefined>;

const PLACEHOLDER = /\$\{(?:(env|input|command|config):([^}]*)(\}?)|(\w+|\/)\})/g;

/**
 * Rewrites the placeholders of VS Code and Cursor into PML's ${VAR}, and says what the user has to know of it.
 * ${env:X} means the same as ${X} and needs no word.
 */
export function translate(text: string, place: Place, inputs: Inputs, notes: Set<string>): string {
  return text.replace(PLACEHOLDER, (whole, kind?: string, id = '', close?: string, word?: string) => {
    if (kind !== undefined && (id === '' || close === '')) return whole;
    if (kind === 'env') return `\${${id}}`;
    if (kind === undefined) return fixed(word ?? '', place, notes) ?? whole;
    const name = variableFor(id);
    const about = inputs.get(id);
    notes.add(`\${${kind}:${id}} became \${${name}}: set ${name}${about ? ` (${about})` : ''}`);
    return `\${${name}}`;
  });
}

/** What an editor's own variable stands for, here and now. */
function fixed(word: string, { cwd, platform }: Place, notes: Set<string>): string | undefined {
  switch (word) {
    case 'workspaceFolder':
    case 'workspaceRoot':
    case 'cwd':
      notes.add(`\${${word}} became this folder's path`);
      return cwd;
    case 'workspaceFolderBasename':
      return path.basename(cwd);
    case 'userHome':
      return platform === 'win32' ? `\${USERPROFILE}` : `\${HOME}`;
    case 'pathSeparator':
    case '/':
      return platform === 'win32' ? '\\' : '/';
    default:
      return undefined;
  }
}

/** A variable's name for an id: github-token → GITHUB_TOKEN. */
function variableFor(id: string): string {
  const name = id
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_|_$/g, '')
    .toUpperCase();
  return /^[A-Z_]/.test(name) ? name : `INPUT_${name}`;
}
