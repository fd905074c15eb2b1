const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
/** An event of an answer has a type, an id and data. */
const MAX_LINES = 3;

/**
 * Returns the data of the first server-sent event of a stream, if it is a single-line message and nothing followed it.
 * Returns undefined if the event is not complete yet, null if it is anything else.
 */
export function firstEventData(bytes: Buffer): string | null | undefined {
  let data: string | undefined;
  let start = 0;
  for (let lines = 0; lines <= MAX_LINES; lines++) {
    const feed = bytes.indexOf(LINE_FEED, start);
    if (feed === -1) return undefined;
    const end = feed > start && bytes[feed - 1] === CARRIAGE_RETURN ? feed - 1 : feed;
    const line = bytes.toString('utf8', start, end);
    start = feed + 1;
    if (line === '') return start === bytes.length && data !== undefined ? data : null;
    // A carriage return alone ends a line, too.
    if (line.includes('\r')) return null;
    if (line.startsWith('data:')) {
      if (data !== undefined) return null;
      data = fieldValue(line, 5);
    } else if (line.startsWith('event:')) {
      if (fieldValue(line, 6) !== 'message') return null;
    } else if (!line.startsWith('id:')) return null;
  }
  return null;
}

function fieldValue(line: string, at: number): string {
  return line.slice(line[at] === ' ' ? at + 1 : at);
}
