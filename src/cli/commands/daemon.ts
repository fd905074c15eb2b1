import { messageOf, PmlError } from '../../errors.ts';
import { homeOf } from '../../home.js';
import { missingPackage } from '../../runtime.js';
import { lockHome } from '../../store/lock.ts';
import type { Command } from '../command.ts';
import { stopOnSignal } from '../stop-on-signal.ts';

export const command: Command = {
  help: 'Usage: pml daemon\n\nRuns the background process in the foreground. The other commands start it themselves.',
  run: runDaemon,
};

/** Starts PGlite in its own thread while the rest of PML loads, which takes about as long. */
async function startPglite(onProgress: (progress: string) => void) {
  if (process.env.PML_DATABASE_URL?.trim()) return {};
  const { openDb } = await import('../../store/index.ts');
  const openingDb = openDb({ home: homeOf(process.env), onProgress });
  // No unhandled rejection: the daemon awaits this promise later, and reports a failure.
  openingDb.catch(() => {});
  return { openingDb };
}

/**
 * Becomes the daemon if the home has none. When twenty start together, nineteen must leave at once, so the lock is taken
 * before the rest of PML is loaded.
 */
export async function runDaemon(): Promise<void> {
  const tellParent = (message: object) => {
    if (process.connected) process.send?.(message, () => {});
  };
  try {
    const lock = lockHome(homeOf(process.env));
    // Another daemon owns the home; the parent connects to that one.
    if (!lock) return tellParent({ owned: true });
    const onProgress = (progress: string) => tellParent({ progress });
    const db = await startPglite(onProgress);
    const { Daemon } = await import('../../daemon/index.ts');
    const daemon = await Daemon.start({ env: process.env, onProgress, ...db }, lock);
    tellParent({ started: true });
    stopOnSignal(daemon);
    process.once('disconnect', () => {});
    await daemon.stopped;
  } catch (error) {
    const { code, hint } = error instanceof PmlError ? error : { code: 'internal', hint: undefined };
    tellParent({ failed: { code, message: missingPackage(error) ?? messageOf(error), hint } });
    process.exitCode = 1;
  }
  // The process must not outlive the home's lock, whatever still keeps it alive.
  setTimeout(() => process.exit(), 1000).unref();
}
