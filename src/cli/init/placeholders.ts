import path from 'node:path';
import type { HostInfo } from './client-files.ts';

/** Descriptions of VS Code's `inputs`, by id. VS Code asks its user for these values. */
export type Inputs = ReadonlyMap<string, string | undefined>;

const PLACEHOLDER = /\$\{(?:(env|input|command|config):([^}]*)(\}?)|(\w+|\/)\})/g;

/**
 * Rewrites the placeholders of VS Code and Cursor to PML's ${VAR}, and adds a note where the user must act.
 * ${env:X} becomes ${X} without a note.
 */
export function translatePlaceholders(
  text: string,
  host: HostInfo,
  inputs: Inputs,
  notes: Set<string>,
): string {
  return text.replace(PLACEHOLDER, (whole, kind?: string, id = '', close?: string, word?: string) => {
    if (kind !== undefined && (id === '' || close === '')) return whole;
    if (kind === 'env') return `\${${id}}`;
    if (kind === undefined) return editorVariable(word ?? '', host, notes) ?? whole;
    const name = variableFor(id);
    const about = inputs.get(id);
    notes.add(`\${${kind}:${id}} became \${${name}}: set ${name}${about ? ` (${about})` : ''}`);
    return `\${${name}}`;
  });
}

/** Resolves a variable of the editor, such as ${workspaceFolder}. */
function editorVariable(word: string, { cwd, platform }: HostInfo, notes: Set<string>): string | undefined {
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

/** Makes a variable name of an id: github-token → GITHUB_TOKEN. */
function variableFor(id: string): string {
  const name = id
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_|_$/g, '')
    .toUpperCase();
  return /^[A-Z_]/.test(name) ? name : `INPUT_${name}`;
}
