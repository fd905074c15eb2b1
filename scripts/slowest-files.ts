// A reporter for `node --test`: prints how each process that died ended, and how long the slowest took.
import path from 'node:path';
import type { TestEvent } from 'node:test/reporters';
import { keepTimes } from './test-processes.ts';

const ROOT = path.join(import.meta.dirname, '..');
const SHOWN = 25;

export default async function* slowestFiles(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const times = new Map<string, number>();
  for await (const { type, data } of events) {
    // Only the exit code tells a process that died from one whose tests failed.
    if (type === 'test:fail' && 'exitCode' in data.details.error) {
      const { exitCode, signal } = data.details.error as { exitCode?: unknown; signal?: unknown };
      yield `${data.name} ended with exit code ${exitCode}, signal ${signal}\n`;
    }
    if (type === 'test:summary' && data.file) times.set(path.relative(ROOT, data.file), data.duration_ms);
  }
  keepTimes(times);
  const slowest = [...times].sort(([, a], [, b]) => b - a);
  const total = slowest.reduce((sum, [, ms]) => sum + ms, 0);
  yield `${times.size} processes, ${(total / 60_000).toFixed(1)} minutes one after the other. The slowest:\n`;
  for (const [file, ms] of slowest.slice(0, SHOWN))
    yield `${(ms / 1000).toFixed(1).padStart(7)} s  ${file}\n`;
}
