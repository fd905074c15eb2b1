// Plain JavaScript: the reaper's process uses it.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/**
 * A process. Its pid may be reused after its end; pid and start time together are unique.
 * @typedef {{ pid: number, parent: number, group: number, start: string }} ProcessEntry
 */

/**
 * @param {number} pid
 * @returns {ProcessEntry | undefined}
 */
export function processOf(pid) {
  return process.platform === 'linux' ? readEntry(pid) : runPs(['-p', String(pid)])[0];
}

/** @returns {ProcessEntry[]} */
export function allProcesses() {
  if (process.platform !== 'linux') return runPs(['-ax']);
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map((pid) => readEntry(Number(pid))).filter((entry) => entry !== undefined);
}

/**
 * @param {number} pid
 * @returns {ProcessEntry | undefined}
 */
function readEntry(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name stands in parentheses and may hold any character, also parentheses.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    // A zombie has ended.
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
    return { pid, parent: Number(fields[1]), group: Number(fields[2]), start: String(fields[19]) };
  } catch {
    return undefined;
  }
}

/**
 * @param {string[]} selection
 * @returns {ProcessEntry[]}
 */
function runPs(selection) {
  try {
    const text = execFileSync('ps', [...selection, '-o', 'pid=,ppid=,pgid=,lstart='], { encoding: 'utf8' });
    return text
      .trim()
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .map(([pid, parent, group, ...start]) => ({
        pid: Number(pid),
        parent: Number(parent),
        group: Number(group),
        start: start.join('_'),
      }));
  } catch {
    return [];
  }
}
