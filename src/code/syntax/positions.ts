/** A stretch of source text, in UTF-16 offsets: `source.slice(start, end)`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export function contains(outer: Span, inner: Span): boolean {
  return outer.start <= inner.start && inner.end <= outer.end;
}

/** Line and column as editors and V8 count them: from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

export const LINE_END = /\r\n|[\n\r\u2028\u2029]/g;

export function positionAt(source: string, offset: number): Position {
  return positionsIn(source)(offset);
}

/** The offset of a position, as `positionAt` gives it. */
export function offsetOf(source: string, { line, column }: Position): number {
  return (lineStarts(source)[line - 1] ?? source.length) + column - 1;
}

/** Returns `positionAt` for many offsets of one text. */
export function positionsIn(source: string): (offset: number) => Position {
  const starts = lineStarts(source);
  return (offset) => {
    let low = 0;
    for (let high = starts.length; high - low > 1; ) {
      const middle = (low + high) >> 1;
      if ((starts[middle] as number) <= offset) low = middle;
      else high = middle;
    }
    return { line: low + 1, column: offset - (starts[low] as number) + 1 };
  };
}

function lineStarts(source: string): number[] {
  return [0, ...Array.from(source.matchAll(LINE_END), (match) => match.index + match[0].length)];
}
