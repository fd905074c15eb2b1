import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { parseDocument } from 'yaml';
import { PmlError } from '../errors.ts';
import { parseJsonc } from './jsonc.ts';
import { type Problem, showPath } from './problems.ts';
import type { Routing } from './servers.ts';

export function invalid(message: string): PmlError {
  return new PmlError('config_invalid', message);
}

/** All that is wrong in a file, a line each. */
export function invalidFile(problems: readonly Problem[], label: string): PmlError {
  const lines = problems.map(({ path, text }) => [label, showPath(path), text].filter(Boolean).join(': '));
  return invalid(lines.join('\n'));
}

/** The shortest name under which the reader can find the file. */
export function labelOf(file: string, cwd: string): string {
  const relative = path.relative(cwd, file);
  return relative === '' || relative.startsWith('..') || path.isAbsolute(relative) ? file : relative;
}

export function isFile(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false })?.isFile() ?? false;
  } catch {
    return false;
  }
}

export function readJson(file: string, label: string): unknown {
  const parsed = parseJsonc(readText(file, label));
  if ('value' in parsed) return parsed.value;
  throw invalid(`${label}:${parsed.line}:${parsed.column}: ${parsed.problem}`);
}

/** Far more than any config needs. A file that was only found may be anything, and is read by the one process that serves all. */
const LONGEST_FILE = 1024 * 1024;

function readText(file: string, label: string, longest = LONGEST_FILE): string {
  if ((sizeOf(file) ?? 0) > longest) throw invalid(`${label}: longer than ${longest} bytes`);
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

/** The routing that mcp-permissions.yaml, if there is one beside the config, gives to servers. */
export function readPermissions(folder: string, cwd: string): Map<string, Routing> {
  const file = path.join(folder, 'mcp-permissions.yaml');
  const permissions = new Map<string, Routing>();
  if (!isFile(file)) return permissions;
  const label = labelOf(file, cwd);
  const problems: Problem[] = [];
  for (const [name, entry] of Object.entries(readYaml(file, label))) {
    // The other keys of an entry belong to other tools, which share this file.
    const routing =
      entry !== null && typeof entry === 'object' ? (entry as { routing?: unknown }).routing : undefined;
    if (routing === 'local' || routing === 'cloud') permissions.set(name, routing);
    else if (routing !== undefined)
      problems.push({ path: [name, 'routing'], text: 'expected "local" or "cloud"' });
  }
  if (problems.length > 0) throw invalidFile(problems, label);
  return permissions;
}

/** Its parser compares every key with every other. */
const LONGEST_YAML = 32 * 1024;

function readYaml(file: string, label: string): object {
  const document = parseDocument(readText(file, label, LONGEST_YAML), { stringKeys: true });
  const [error] = document.errors;
  if (error) {
    const place = error.linePos ? `:${error.linePos[0].line}:${error.linePos[0].col}` : '';
    throw invalid(`${label}${place}: ${error.message.split(/ at line |\n/)[0]}`);
  }
  let value: unknown;
  try {
    value = document.toJS();
  } catch {
    // The library refuses aliases that would unfold without end.
    throw invalid(`${label}: its aliases cannot be resolved`);
  }
  if (value === null || value === undefined) return {};
  if (typeof value !== 'object' || Array.isArray(value))
    throw invalid(`${label}: expected one entry per server`);
  return value;
}
