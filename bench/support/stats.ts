export interface Latency {
  p50: number;
  p95: number;
  perSecond: number;
}

/** Returns the quantile `at` of the values. */
export function percentile(values: readonly number[], at: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * at))] as number;
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** Calls for a while, with a number of calls under way at a time. */
export async function measureCalls(
  call: () => Promise<unknown>,
  ms: number,
  callers: number,
): Promise<Latency> {
  const times: number[] = [];
  const began = performance.now();
  const work = async () => {
    for (let now = performance.now(); now - began < ms; ) {
      await call();
      const then = now;
      now = performance.now();
      times.push(now - then);
    }
  };
  await Promise.all(Array.from({ length: callers }, work));
  const seconds = (performance.now() - began) / 1000;
  return { p50: median(times), p95: percentile(times, 0.95), perSecond: times.length / seconds };
}

/** Runs one after the other, round by round, so that other load on the machine affects them alike. */
export async function inTurns<T>(rounds: number, acts: readonly (() => Promise<T>)[]): Promise<T[][]> {
  const results: T[][] = acts.map(() => []);
  for (let round = 0; round < rounds; round++) {
    for (const [index, act] of acts.entries()) results[index]?.push(await act());
  }
  return results;
}

export function medianLatency(rounds: readonly Latency[]): Latency {
  return {
    p50: median(rounds.map(({ p50 }) => p50)),
    p95: median(rounds.map(({ p95 }) => p95)),
    perSecond: median(rounds.map(({ perSecond }) => perSecond)),
  };
}

/** Rounds to three digits; such a measurement is no more precise. */
export function short(value: number): string {
  if (value >= 100) return value.toFixed(0);
  return value.toPrecision(3);
}

export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  );
  return rows
    .map((row) =>
      row
        .map((cell, column) =>
          column === 0 ? cell.padEnd(widths[column] as number) : cell.padStart(widths[column] as number),
        )
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
