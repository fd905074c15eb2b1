import type { Daemon } from '../daemon/index.ts';

/** Stops the daemon in order on the first signal, and the process at once on the second. */
export function stopOnSignal(daemon: Daemon): void {
  let isStopping = false;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (isStopping) process.exit(1);
      isStopping = true;
      void daemon.stop(signal);
    });
  }
}
