const REST_OF_LINE = /[^\n\r]*/y;
/**
 * Characters that may be scanned without finding a closer. An unclosed string or comment is scanned to the end of the
 * text, and again from each later opening. Code that people write has at most one such place, where it is broken.
 */
const MAX_WASTED = 2_000_000;

/** A cursor that moves through a text token by token, in linear time for any text. */
export class TokenReader {
  readonly source: string;
  at = 0;
  /** Set once tokens cannot be told apart, as after a slash that may divide or not: then nothing is skipped or closed. */
  ambiguous = false;
  #wasted = 0;

  constructor(source: string) {
    this.source = source;
  }

  comment(): string | undefined {
    if (!this.source.startsWith('/*', this.at)) return undefined;
    const end = this.source.indexOf('*/', this.at + 2);
    if (end === -1) return this.waste(this.source.length - this.at);
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

  isAt(pattern: RegExp): boolean {
    pattern.lastIndex = this.at;
    return pattern.test(this.source);
  }

  /** Consumes what the pattern matches and the closer after it, and returns the match; undefined if the closer is missing. */
  matchClosed(pattern: RegExp, closer: string): string | undefined {
    pattern.lastIndex = this.at;
    const open = pattern.exec(this.source)?.[0] ?? '';
    if (open === '' || this.source[this.at + open.length] !== closer) {
      REST_OF_LINE.lastIndex = this.at;
      return this.waste(Math.max(open.length, REST_OF_LINE.exec(this.source)?.[0].length ?? 0));
    }
    this.at += open.length + 1;
    return open;
  }

  /** Counts characters that were scanned for nothing. */
  waste(length: number): undefined {
    this.#wasted += length;
    this.ambiguous ||= this.#wasted > MAX_WASTED;
  }

  match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.source)?.[0];
    if (!found) return undefined;
    this.at += found.length;
    return found;
  }
}
