import { cutText, jsonBytes } from '../../measure.ts';

/** With what stands around it, an answer stays under a megabyte; clients close the connection at ten. */
const MAX_ANSWER_BYTES = 900_000;
/** What is tried one after the other: the longest text, the most members of a list or an object, the deepest level. */
const CUTS = [
  { text: 50_000, members: 2000, levels: 20 },
  { text: 10_000, members: 1000, levels: 10 },
  { text: 2000, members: 300, levels: 8 },
  { text: 500, members: 100, levels: 6 },
  { text: 100, members: 30, levels: 4 },
  { text: 50, members: 5, levels: 3 },
] as const;
type Cut = (typeof CUTS)[number];

/** More than an item of most lists needs. */
const MAX_ITEM_BYTES = 64_000;

const SHORTENED =
  'This answer was too long: texts and lists in it were cut. Ask for less, such as one version or fewer items.';

/** The answer as it is, or with its long texts and lists cut until all of it can be sent. */
export function fitAnswer(answer: object): object {
  if (fits(answer, MAX_ANSWER_BYTES)) return answer;
  return { ...firstFitting(answer, MAX_ANSWER_BYTES), shortened: SHORTENED };
}

/** The first items of a list, as many as one answer can hold. What is cut in one that is too long says so. */
export function fitList<Item extends object>(items: readonly Item[], itemBytes = MAX_ITEM_BYTES): Item[] {
  const fitting: Item[] = [];
  let room = MAX_ANSWER_BYTES;
  for (const item of items) {
    const one = fits(item, itemBytes) ? item : firstFitting(item, itemBytes);
    if (one === undefined) continue;
    room -= answerBytes(one) + 2;
    if (room < 0) break;
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
  // Escaped, a text is twice as long at the most.
  return 3 * bytes + 2 <= limit || (bytes !== Infinity && answerBytes(answer) <= limit);
}

/** An answer is sent twice: as structured content, and as text in which every quote is escaped once more. */
function answerBytes(answer: object): number {
  const text = JSON.stringify(answer);
  return Buffer.byteLength(text) + Buffer.byteLength(JSON.stringify(text));
}

/** The same members, each cut: what an answer or an item consists of stays. */
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
