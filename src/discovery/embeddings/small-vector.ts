/** A vector in bytes: only its direction matters, so it is scaled to fill them. */
export interface SmallVector {
  readonly bytes: Int8Array;
  readonly length: number;
}

export function smallVector(values: ArrayLike<number>): SmallVector {
  let largest = 0;
  for (let at = 0; at < values.length; at++) largest = Math.max(largest, Math.abs(values[at] as number));
  const scale = largest > 0 ? 127 / largest : 0;
  return fromBytes(Int8Array.from(values, (value) => Math.round(value * scale)));
}

export function fromBytes(bytes: Int8Array): SmallVector {
  let sum = 0;
  for (const byte of bytes) sum += byte * byte;
  return { bytes, length: Math.sqrt(sum) };
}

/** Cosine similarity: the cosine of the angle between two vectors, -1 to 1; 0 if one of them has no direction. */
export function similarity(a: SmallVector, b: SmallVector): number {
  if (a.length === 0 || b.length === 0 || a.bytes.length !== b.bytes.length) return 0;
  let sum = 0;
  for (let at = 0; at < a.bytes.length; at++) sum += (a.bytes[at] as number) * (b.bytes[at] as number);
  return sum / (a.length * b.length);
}
