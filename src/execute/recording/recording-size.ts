/** The approximate size of a recording as text; a larger run is not recorded. */
export const MAX_RECORDING_SIZE = 256 * 1024;
const MAX_DEPTH = 200;

/** Returns whether a value is small enough to be recorded and compared. */
export function isRecordable(value: unknown): boolean {
  return estimateSize(value, MAX_RECORDING_SIZE) <= MAX_RECORDING_SIZE;
}

/** Estimates the length of a value as text. Stops at the limit, and at a depth that no real data has. */
export function estimateSize(value: unknown, limit: number, depth = 0): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 8;
  if (depth > MAX_DEPTH) return Infinity;
  let size = 2;
  for (const [key, one] of Object.entries(value)) {
    size += key.length + 4 + estimateSize(one, limit - size, depth + 1);
    if (size > limit) break;
  }
  return size;
}
