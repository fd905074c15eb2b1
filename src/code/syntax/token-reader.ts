const REST_OF_LINE = /[^\n\r]*/y;
/**
 * Characters that may be read in vain. What opens and never closes is read to its end, and from each later opening
 * again; code that people write has one such place, where it is broken.
 */
const MAX_IN_VAIN = 2_000_000;

/** A place in a text that moves on as tokens are read. All of them together take linear time, whatever the text is. */
export class TokenReader {
  readonly source: string;
  at = 0;
  /** After a slash that could be read two ways nothing is skipped and nothing is closed any more. */
  blind = false;
  #inVain = 0;

  constructor(source: string) {
    this.source = source;
  }

  comment(): string | undefined {
    if (!this.source.startsWith('/*', this.at)) return undefined;
    const end = this.source.indexOf('*/', this.at + 2);
    if (end === -1) return this.readInVain(this.source.length - this.at);
    const comment = this.source.slice(this.at, end + 2);
    this.at = end + 2;
    return comment;
  }

  /** Skips to the end of a template, or to its next `${`. */
  templateText(): void {
    for (; this.at < this.source.length; this.at += 1) {
      const char = this.source[this.at];
      if (char === '`' || (char === '$' && this.source[this.at + 1] === '{')) return;
      if (char === '\\') this.at += 1;
    }
  }

  peeks(pattern: RegExp): boolean {
    pattern.lastIndex = this.at;
    return pattern.test(this.source);
  }

  /** What the pattern matches, and the character after it that must close it; undefined if it is not there. */
  closed(pattern: RegExp, closer: string): string | undefined {
    pattern.lastIndex = this.at;
    const open = pattern.exec(this.source)?.[0] ?? '';
    if (open === '' || this.source[this.at + open.length] !== closer) {
      REST_OF_LINE.lastIndex = this.at;
      return this.readInVain(Math.max(open.length, REST_OF_LINE.exec(this.source)?.[0].length ?? 0));
    }
    this.at += open.length + 1;
    return open;
  }

  readInVain(length: number): undefined {
    this.#inVain += length;
    this.blind ||= this.#inVain > MAX_IN_VAIN;
  }

  match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.source)?.[0];
    if (!found) return undefined;
    this.at += found.length;
    return found;
  }
}
