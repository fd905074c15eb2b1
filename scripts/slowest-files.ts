// A reporter for `node --test`: prints how each test file that failed ended, and how long the slowest took.
import type { TestEvent } from 'node:test/reporters';

const SHOWN = 25;

export default async function* slowestFiles(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const files: { file: string; ms: number }[] = [];
  for await (const { type, data } of events) {
    // Only this tells a process that died from one whose tests failed.
    if (type === 'test:fail' && 'exitCode' in data.details.error) {
      const { exitCode, signal } = data.details.error as { exitCode?: unknown; signal?: unknown };
      yield `${data.name} ended with exit code ${exitCode}, signal ${signal}\n`;
    }
    if (type === 'test:summary' && data.file) files.push({ file: data.file, ms: data.duration_ms });
  }
  files.sort((a, b) => b.ms - a.ms);
  const total = files.reduce((sum, { ms }) => sum + ms, 0);
  yield `${files.length} test files, ${(total / 60_000).toFixed(1)} minutes one after the other. The slowest:\n`;
  for (const { file, ms } of files.slice(0, SHOWN)) {
    yield `${(ms / 1000).toFixed(1).padStart(7)} s  ${file.slice(process.cwd().length + 1)}\n`;
  }
}
