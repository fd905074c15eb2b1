import { readdirSync, readFileSync } from 'node:fs';

/** Microseconds that the threads of a process have run, by id; that of the main thread is the process's own. Linux only. */
export function threadTimes(pid: number): Map<number, number> {
  const times = new Map<number, number>();
  for (const id of readdirSync(`/proc/${pid}/task`)) {
    const [ns] = readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'utf8').split(' ');
    times.set(Number(id), Number(ns) / 1000);
  }
  return times;
}
