const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/** Memory that a parser needs for a line besides its text. */
const LINE_OVERHEAD_BYTES = 64;

/** Counts the bytes of the unfinished event in a stream of server-sent events, which its parser holds in memory. */
export class EventMeter {
  held = 0;
  /** Bytes of the unfinished line, without its line end. */
  #lineBytes = 0;

  /** Returns how many lines ended in the chunk. */
  add(chunk: Uint8Array): number {
    let lines = 0;
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      lines += 1;
      const length =
        this.#lineBytes + end - start - (end > start && chunk[end - 1] === CARRIAGE_RETURN ? 1 : 0);
      this.#lineBytes = 0;
      this.held = length === 0 ? 0 : this.held + end - start + LINE_OVERHEAD_BYTES;
      start = end + 1;
    }
    const rest = chunk.length - start;
    this.held += rest;
    // A carriage return may be the first half of a line end.
    this.#lineBytes += rest === 1 && chunk[start] === CARRIAGE_RETURN ? 0 : rest;
    return lines;
  }
}
