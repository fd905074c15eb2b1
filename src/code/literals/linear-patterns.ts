/** Tells whether a text looks like something, such as SQL or a URL. */
export type Shape = (text: string) => boolean;

/** Matches if any pattern does. A source may hold thousands of literals, so each is linear: `npm run lint` proves it. */
export function anyOf(...patterns: (RegExp | Shape)[]): Shape {
  return (text) =>
    patterns.some((pattern) => (typeof pattern === 'function' ? pattern(text) : pattern.test(text)));
}

/** Matches `/a.*b.*c/s` in linear time: the first match of each pattern leaves the most room for the next. */
export function inOrder(...patterns: RegExp[]): Shape {
  return (text) => {
    let rest = text;
    return patterns.every((pattern) => {
      const found = pattern.exec(rest);
      if (found) rest = rest.slice(found.index + found[0].length);
      return found !== null;
    });
  };
}

const LINE_END = /[\n\r\u2028\u2029]/g;

/** Matches `/a.*b/` in linear time. Both patterns are global: each search starts where the last one ended. */
export function onOneLine(opening: RegExp, closing: RegExp): Shape {
  return (text) => {
    const nextClosing = finder(text, closing);
    const nextLineEnd = finder(text, LINE_END);
    for (const { index, 0: match } of text.matchAll(opening)) {
      const end = index + match.length;
      const close = nextClosing(end);
      if (close === Infinity) return false;
      if (close <= nextLineEnd(end)) return true;
    }
    return false;
  };
}

/** Finds the first match at or after an offset, for growing offsets; `Infinity` if there is none. */
export function finder(text: string, pattern: RegExp): (from: number) => number {
  let at = -1;
  return (from) => {
    if (at >= from) return at;
    pattern.lastIndex = from;
    at = pattern.exec(text)?.index ?? Infinity;
    return at;
  };
}
