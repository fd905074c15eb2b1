/** Buckets for each doubling of the latency. One bucket spans 9%, which bounds the error of a percentile. */
const STEPS = 8;
/** The shortest latency that is told apart, in milliseconds. */
const LEAST_MS = 0.01;

/** The number of the bucket of `column`, in SQL. */
export function bucketSql(column: string): string {
  return `floor(${STEPS / Math.LN2} * ln(greatest(${column}, ${LEAST_MS})))::integer`;
}

/** How often each bucket of latencies was hit. */
export type Histogram = Map<number, number>;

export function addToHistogram(histogram: Histogram, other: ReadonlyMap<number, number>): void {
  for (const [bucket, count] of other) histogram.set(bucket, (histogram.get(bucket) ?? 0) + count);
}

/** Estimates a percentile in milliseconds; null if the histogram is empty. */
export function percentileOf(histogram: ReadonlyMap<number, number>, part: number): number | null {
  const buckets = [...histogram].sort(([a], [b]) => a - b);
  const total = buckets.reduce((sum, [, count]) => sum + count, 0);
  let left = part * total;
  for (const [bucket, count] of buckets) {
    if (left <= count) return rounded(2 ** ((bucket + left / count) / STEPS));
    left -= count;
  }
  return null;
}

function rounded(ms: number): number {
  return Number(ms.toPrecision(3));
}
