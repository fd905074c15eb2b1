import type { Limits } from '../protocol.ts';

const TICK_MS = 20;
const MB = 1024 * 1024;
/** What a run within its limits may add to the process: V8's own overhead, and copies of values that cross. */
const SPARE_MB = 256;

export interface Watch {
  /** A turn begins. */
  begin(): void;
  /** A turn has ended. */
  done(): void;
  stop(): void;
}

/**
 * Tells of a turn that computes too long, and of memory beyond what the isolate's own limit should have held: V8 gives
 * an isolate a gigabyte more before it ends it. The processor time is that of the whole process, which has one run only;
 * on a busy machine the clock on the wall would blame a guest for others' work.
 */
export function watchTurns(
  limits: Limits,
  over: (kind: 'timeout' | 'memory', message: string) => void,
): Watch {
  let turns = 0;
  let baseCpu = process.cpuUsage();
  const maxRss = process.memoryUsage.rss() + (2 * limits.memoryMb + SPARE_MB) * MB;
  let timer: NodeJS.Timeout | undefined;

  function check(): void {
    const { user, system } = process.cpuUsage(baseCpu);
    if ((user + system) / 1000 > limits.turnCpuMs) {
      over('timeout', `The code computed for ${limits.turnCpuMs} ms without a pause.`);
    } else if (process.memoryUsage.rss() > maxRss) {
      over('memory', `The code used more than ${limits.memoryMb} MB of memory.`);
    }
  }

  return {
    begin() {
      if (turns === 0) baseCpu = process.cpuUsage();
      turns += 1;
      timer ??= setInterval(check, TICK_MS);
    },
    done() {
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
