// Plain JavaScript: the program of a process that outlives the daemon whose servers it watches over.
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { allProcesses, processOf } from './process-table.js';

/** @typedef {import('./process-table.js').ProcessEntry} ProcessEntry */

/** The time that a server gets to end once its stdin has closed, and again after SIGTERM. */
const GRACE_MS = 2000;
const POLL_MS = 50;

// Ctrl-C in the daemon's terminal must not end this process with it.
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) process.on(signal, () => {});

/**
 * The process groups to end: the start time of each leader by its pid. The first ones are arguments,
 * `<leader>:<start>`; changes are read from stdin, one per line: `+ <leader> <start>` adds, `- <leader>` removes.
 * @type {Map<number, string>}
 */
const groups = new Map();
for (const known of process.argv.slice(2)) {
  const [leader, start] = known.split(':');
  add(Number(leader), start);
}
for await (const line of createInterface({ input: process.stdin })) {
  const [sign, leader, start] = line.split(' ');
  if (sign === '+') add(Number(leader), start);
  else groups.delete(Number(leader));
}
// Stdin has ended, so the daemon is gone.
await reap(members());

/**
 * @param {number} leader
 * @param {string} [start] empty where the system does not tell it to the daemon
 */
function add(leader, start) {
  groups.set(leader, start || (processOf(leader)?.start ?? ''));
}

/**
 * Lists the processes of the groups. If another process got the pid of a leader, its group is none of ours.
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
    for (const end = Date.now() + GRACE_MS; left.length > 0 && Date.now() < end; await sleep(POLL_MS))
      left = left.filter(isSame);
    // The groups may have started processes in the meantime.
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
    // It has ended in the meantime.
  }
}
