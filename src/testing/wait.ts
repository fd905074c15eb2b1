import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Waits for a promise; fails after `ms` with a message that says what did not happen. */
export async function within<T>(promise: Promise<T>, ms: number, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} did not come within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** How long a test waits for what must come. It is no measure of speed: a busy machine may take a minute or more. */
export const PATIENCE_MS = 120_000;

/** Polls until `look` returns something truthy, where no event can be awaited. */
export async function eventually<T>(
  look: () => T | Promise<T>,
  what: string,
  ms = PATIENCE_MS,
  everyMs = 25,
): Promise<T> {
  const deadline = Date.now() + ms;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > deadline) throw new Error(`${what}: not so after ${ms} ms`);
    await sleep(everyMs);
  }
}

/**
 * Attempts something until the outcome is what it must be, and returns the last outcome. A pause of the machine may spoil an
 * attempt, for example because PML takes a starved process for a stuck one. A fault spoils them all.
 */
export async function attempt<T>(
  act: () => T | Promise<T>,
  isRight: (outcome: T) => boolean,
  times = 5,
): Promise<T> {
  for (;;) {
    const outcome = await act();
    if (isRight(outcome) || --times <= 0) return outcome;
  }
}

/** True if a process runs. A zombie does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  try {
    // The state follows the name, which stands in parentheses and may hold any character.
    return !/^\d+ \(.*\) [ZX] /s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return process.platform !== 'linux';
  }
}

export function waitForExit(pid: number, ms = PATIENCE_MS): Promise<unknown> {
  return eventually(() => !isAlive(pid), `process ${pid} is gone`, ms);
}

/**
 * Lists every process that was started with this folder as HOME: the daemon of a test, its servers and their children,
 * whatever their parent is now. Works on Linux only.
 */
export function processesOf(folder: string): number[] {
  if (process.platform !== 'linux') return [];
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => {
    try {
      return (
        isAlive(pid) && readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`HOME=${folder}`)
      );
    } catch {
      // It has ended in the meantime.
      return false;
    }
  });
}

/** Waits until all processes of a folder have ended. */
export function waitForNoProcesses(folder: string): Promise<unknown> {
  return eventually(
    () => processesOf(folder).length === 0,
    `no process of ${folder} is left`,
    PATIENCE_MS,
    150,
  );
}
