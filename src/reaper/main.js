// Plain JavaScript: run by itself, as a process that outlives the one whose servers it watches over.
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { allProcesses, processOf } from './process-table.js';

/** @typedef {import('./process-table.js').ProcessEntry} ProcessEntry */

/** A server has seen its stdin close. It gets this long to end by itself, and as long again after SIGTERM. */
const GRACE_MS = 2000;
const LOOK_MS = 50;

// Whoever interrupts the owner's terminal must not end this one with it.
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) process.on(signal, () => {});

/**
 * Process groups to end, by leader, with its start. Named on stdin, a line each: `+ <leader> <start>`, `- <leader>`.
 * @type {Map<number, string>}
 */
const groups = new Map();
for await (const line of createInterface({ input: process.stdin })) {
  const [act, leader, start] = line.split(' ');
  if (act === '+') groups.set(Number(leader), start || (processOf(Number(leader))?.start ?? ''));
  else groups.delete(Number(leader));
}
// The owner has gone.
await reap(members());

/**
 * The processes of the groups. A leader that ended, and whose number went to another process, leads none of ours.
 * @returns {ProcessEntry[]}
 */
function members() {
  if (groups.size === 0) return [];
  const all = allProcesses();
  const leaders = new Set(all.filter(({ pid, start }) => groups.get(pid) === start).map(({ pid }) => pid));
  return all.filter(({ group }) => leaders.has(group));
}

/** @param {ProcessEntry[]} found */
async function reap(found) {
  let left = found;
  for (const signal of /** @type {const} */ (['SIGTERM', 'SIGKILL'])) {
    for (const end = Date.now() + GRACE_MS; left.length > 0 && Date.now() < end; await sleep(LOOK_MS))
      left = left.filter(isSame);
    // Some may have been started in the meantime.
    left = unique([...left, ...members()]);
    for (const { pid } of left) send(pid, signal);
  }
}

/** @param {ProcessEntry} entry */
function isSame({ pid, start }) {
  return processOf(pid)?.start === start;
}

/** @param {ProcessEntry[]} entries */
function unique(entries) {
  return [...new Map(entries.map((entry) => [entry.pid, entry])).values()];
}

/**
 * @param {number} pid
 * @param {NodeJS.Signals} signal
 */
function send(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended while it was looked at.
  }
}
