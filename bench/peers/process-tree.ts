import { readFileSync } from 'node:fs';
import { allProcesses } from '../../src/reaper/process-table.js';

/** Linux counts processor time in hundredths of a second. */
const TICK_MS = 10;

/**
 * Returns the processor time that a process and all its descendants have used, in milliseconds. Descendants whose command
 * line holds `except` are left out, with what they started: the server behind a gateway is not the gateway.
 */
export function treeCpuMs(root: number, except: string): number {
  const processes = allProcesses();
  let sum = cpuMs(root);
  const open = [root];
  for (let parent = open.pop(); parent !== undefined; parent = open.pop()) {
    for (const { pid } of processes.filter((one) => one.parent === parent)) {
      if (commandLine(pid).includes(except)) continue;
      sum += cpuMs(pid);
      open.push(pid);
    }
  }
  return sum;
}

function cpuMs(pid: number): number {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  } catch {
    return 0;
  }
}

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
