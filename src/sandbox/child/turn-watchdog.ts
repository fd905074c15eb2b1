import type { Limits } from '../protocol.ts';

const TICK_MS = 20;
const MB = 1024 * 1024;
/** Allowed beyond a run's limit: V8's own overhead, and copies of values that enter or leave the guest. */
const SPARE_MB = 256;

export interface TurnWatchdog {
  turnBegan(): void;
  turnEnded(): void;
  stop(): void;
}

/**
 * Reports a turn that computes too long, and memory beyond the isolate's limit: V8 lets an isolate use a gigabyte more
 * before it ends it. It measures processor time, that of the whole process, which has one run only: on a busy machine
 * wall-clock time would blame a guest for others' work.
 */
export function watchTurns(
  limits: Limits,
  onExceeded: (kind: 'timeout' | 'memory', message: string) => void,
): TurnWatchdog {
  let turns = 0;
  let baseCpu = process.cpuUsage();
  const maxRss = process.memoryUsage.rss() + (2 * limits.memoryMb + SPARE_MB) * MB;
  let timer: NodeJS.Timeout | undefined;

  function check(): void {
    const { user, system } = process.cpuUsage(baseCpu);
    if ((user + system) / 1000 > limits.turnCpuMs) {
      onExceeded('timeout', `The code computed for ${limits.turnCpuMs} ms without a pause.`);
    } else if (process.memoryUsage.rss() > maxRss) {
      onExceeded('memory', `The code used more than ${limits.memoryMb} MB of memory.`);
    }
  }

  return {
    turnBegan() {
      if (turns === 0) baseCpu = process.cpuUsage();
      turns += 1;
      timer ??= setInterval(check, TICK_MS);
    },
    turnEnded() {
      turns -= 1;
      baseCpu = process.cpuUsage();
      if (turns === 0) this.stop();
    },
    stop() {
      clearInterval(timer);
      timer = undefined;
    },
  };
}
