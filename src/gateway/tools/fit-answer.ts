import { cutText, jsonBytes } from '../../json-size.ts';

/** Keeps the whole message under a megabyte. Clients close the connection at ten. */
const MAX_ANSWER_BYTES = 900_000;
/** The limits tried in turn: length of a text, members of a list or an object, levels of nesting. */
const CUTS = [
  { text: 50_000, members: 2000, levels: 20 },
  { text: 10_000, members: 1000, levels: 10 },
  { text: 2000, members: 300, levels: 8 },
  { text: 500, members: 100, levels: 6 },
  { text: 100, members: 30, levels: 4 },
  { text: 50, members: 5, levels: 3 },
] as const;
type Cut = (typeof CUTS)[number];

/** Enough for an item of most lists. */
const MAX_ITEM_BYTES = 64_000;

const SHORTENED =
  'This answer was too long: texts and lists in it were cut. Ask for less, such as one version or fewer items.';

/** Returns the answer unchanged, or with its long texts and lists cut until it can be sent. */
export function fitAnswer(answer: object): object {
  if (fits(answer, MAX_ANSWER_BYTES)) return answer;
  return { ...firstFitting(answer, MAX_ANSWER_BYTES), shortened: SHORTENED };
}

/** Returns the first items of a list, as many as one answer can hold. Texts cut in a long item say so. */
export function fitList<Item extends object>(items: readonly Item[], itemBytes = MAX_ITEM_BYTES): Item[] {
  const fitting: Item[] = [];
  let bytesLeft = MAX_ANSWER_BYTES;
  for (const item of items) {
    const one = fits(item, itemBytes) ? item : firstFitting(item, itemBytes);
    if (one === undefined) continue;
    bytesLeft -= answerBytes(one) + 2;
    if (bytesLeft < 0) break;
    fitting.push(one);
  }
  return fitting;
}

function firstFitting<Item extends object>(item: Item, limit: number): Item | undefined {
  for (const cut of CUTS) {
    const shorter = cutMembers(item, cut);
    if (fits(shorter, limit)) return shorter as Item;
  }
  return undefined;
}

function fits(answer: object, limit: number): boolean {
  const bytes = jsonBytes(answer, limit);
  // Escaping makes a text at most twice as long.
  return 3 * bytes + 2 <= limit || (bytes !== Infinity && answerBytes(answer) <= limit);
}

/** Measures an answer as it is sent: as structured content, and as text in which every quote is escaped again. */
function answerBytes(answer: object): number {
  const text = JSON.stringify(answer);
  return Buffer.byteLength(text) + Buffer.byteLength(JSON.stringify(text));
}

/** Cuts the value of each member, and keeps all members. */
function cutMembers(answer: object, cut: Cut): object {
  return Object.fromEntries(
    Object.entries(answer).map(([key, value]) => [key, cutValue(value, cut, cut.levels)]),
  );
}

function cutValue(value: unknown, cut: Cut, levels: number): unknown {
  if (typeof value === 'string') return cutText(value, cut.text);
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) return Array.isArray(value) ? [] : {};
  const inner = (one: unknown) => cutValue(one, cut, levels - 1);
  if (Array.isArray(value)) return value.slice(0, cut.members).map(inner);
  const members = Object.entries(value).slice(0, cut.members);
  return Object.fromEntries(members.map(([key, one]) => [cutText(key, cut.text), inner(one)]));
}
