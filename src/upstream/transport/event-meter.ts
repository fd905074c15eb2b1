const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/** What it takes to hold a line beside its text. */
const LINE_BYTES = 64;

/** Counts the bytes of the event that a stream of server-sent events is in the middle of. Whoever parses it holds them. */
export class EventMeter {
  held = 0;
  /** Bytes of the line that is not finished yet, but for its line end. */
  #line = 0;

  /** Answers how many lines ended in the chunk. */
  add(chunk: Uint8Array): number {
    let lines = 0;
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      lines += 1;
      const length = this.#line + end - start - (end > start && chunk[end - 1] === CARRIAGE_RETURN ? 1 : 0);
      this.#line = 0;
      this.held = length === 0 ? 0 : this.held + end - start + LINE_BYTES;
      start = end + 1;
    }
    const rest = chunk.length - start;
    this.held += rest;
    // A carriage return may be the first half of a line end.
    this.#line += rest === 1 && chunk[start] === CARRIAGE_RETURN ? 0 : rest;
    return lines;
  }
}
