import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { parseDocument } from 'yaml';
import { isFile } from '../config-file.js';
import { PmlError } from '../errors.ts';
import { parseJsonc } from './jsonc.ts';
import type { Routing } from './server-config.ts';
import { type Problem, showPath } from './validation-problems.ts';

export function invalid(message: string): PmlError {
  return new PmlError('config_invalid', message);
}

/** Makes one error of all problems in a file, a line each. */
export function invalidFile(problems: readonly Problem[], label: string): PmlError {
  const lines = problems.map(({ path, text }) => [label, showPath(path), text].filter(Boolean).join(': '));
  return invalid(lines.join('\n'));
}

/** Returns the file's path relative to the working directory if it is inside, else in full. */
export function labelOf(file: string, cwd: string): string {
  const relative = path.relative(cwd, file);
  return relative === '' || relative.startsWith('..') || path.isAbsolute(relative) ? file : relative;
}

export function readJson(file: string, label: string): unknown {
  const parsed = parseJsonc(readText(file, label));
  if ('value' in parsed) return parsed.value;
  throw invalid(`${label}:${parsed.line}:${parsed.column}: ${parsed.problem}`);
}

/** Far more than any config needs. A found file may be anything, and the process that reads it serves all sessions. */
const MAX_FILE_BYTES = 1024 * 1024;

function readText(file: string, label: string, maxBytes = MAX_FILE_BYTES): string {
  if ((sizeOf(file) ?? 0) > maxBytes) throw invalid(`${label}: longer than ${maxBytes} bytes`);
  try {
    return readFileSync(file, 'utf8');
  } catch (thrown) {
    throw invalid(`${label}: cannot be read (${(thrown as NodeJS.ErrnoException).code ?? 'unknown reason'})`);
  }
}

function sizeOf(file: string): number | undefined {
  try {
    return statSync(file).size;
  } catch {
    return undefined;
  }
}

/** The file beside a config that says where servers run: `local` or `cloud`. */
export const PERMISSIONS_FILE = 'mcp-permissions.yaml';

/** Reads the routing of servers from the mcp-permissions.yaml beside the config, if there is one. */
export function readPermissions(folder: string, cwd: string): Map<string, Routing> {
  const file = path.join(folder, PERMISSIONS_FILE);
  const permissions = new Map<string, Routing>();
  if (!isFile(file)) return permissions;
  const label = labelOf(file, cwd);
  const problems: Problem[] = [];
  for (const [name, entry] of Object.entries(readYaml(file, label))) {
    // Other tools share this file; the other keys of an entry are theirs.
    const routing =
      entry !== null && typeof entry === 'object' ? (entry as { routing?: unknown }).routing : undefined;
    if (routing === 'local' || routing === 'cloud') permissions.set(name, routing);
    else if (routing !== undefined)
      problems.push({ path: [name, 'routing'], text: 'expected "local" or "cloud"' });
  }
  if (problems.length > 0) throw invalidFile(problems, label);
  return permissions;
}

/** The YAML parser compares every key with every other, so its input is kept small. */
const MAX_YAML_BYTES = 32 * 1024;

function readYaml(file: string, label: string): object {
  const document = parseDocument(readText(file, label, MAX_YAML_BYTES), { stringKeys: true });
  const [error] = document.errors;
  if (error) {
    const place = error.linePos ? `:${error.linePos[0].line}:${error.linePos[0].col}` : '';
    throw invalid(`${label}${place}: ${error.message.split(/ at line |\n/)[0]}`);
  }
  let value: unknown;
  try {
    value = document.toJS();
  } catch {
    // The library refuses aliases that expand without end.
    throw invalid(`${label}: its aliases cannot be resolved`);
  }
  if (value === null || value === undefined) return {};
  if (typeof value !== 'object' || Array.isArray(value))
    throw invalid(`${label}: expected one entry per server`);
  return value;
}
