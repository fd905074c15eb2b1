import type { Daemon } from '../daemon/index.ts';
import { messageOf, PmlError } from '../errors.ts';
import { homeOf } from '../home.js';
import { missingPackage } from '../runtime.js';
import { lockHome } from '../store/lock.ts';
import type { Command } from './command.ts';

/** The background process itself, started by whoever needs it first. */
export const daemonCommand: Command = {
  summary: 'the background process (started by the other commands)',
  help: 'Usage: pml daemon\n\nRuns the background process in the foreground. The other commands start it themselves.',
  hidden: true,
  run: runDaemon,
};

/**
 * Becomes the daemon if the home has none. Of twenty that start together nineteen must be out of the way at once, so the
 * lock is taken before the rest of PML is loaded.
 */
export async function runDaemon(): Promise<void> {
  const tell = (word: object) => {
    if (process.connected) process.send?.(word, () => {});
  };
  try {
    const lock = lockHome(homeOf(process.env));
    // Another one owns the home: whoever asked will find it.
    if (!lock) return tell({ owned: true });
    const { Daemon } = await import('../daemon/index.ts');
    const onProgress = (progress: string) => tell({ progress });
    const daemon = await Daemon.start({ env: process.env, onProgress }, lock);
    tell({ started: true });
    stopOnSignal(daemon);
    process.once('disconnect', () => {});
    await daemon.stopped;
  } catch (error) {
    const { code, hint } = error instanceof PmlError ? error : { code: 'internal', hint: undefined };
    tell({ failed: { code, message: missingPackage(error) ?? messageOf(error), hint } });
    process.exitCode = 1;
  }
  // Whatever still holds the process must not outlive the home's lock.
  setTimeout(() => process.exit(), 1000).unref();
}

/** A first signal stops well; a second one stops at once. */
export function stopOnSignal(daemon: Daemon): void {
  let asked = false;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (asked) process.exit(1);
      asked = true;
      void daemon.stop(signal);
    });
  }
}
