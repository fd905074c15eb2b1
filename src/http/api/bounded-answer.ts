import { isJsonObject, type JsonObject } from '../../json.ts';
import { cutText } from '../../json-size.ts';
import type { Route, RouteInput } from './route.ts';
import type { View } from './view.ts';

/** The default limit of an answer, in bytes of JSON. */
const MAX_BYTES = 1_000_000;
/** The query parameters that limit the length of a page. */
const LIMITS = ['limit', 'calls_limit'] as const;
/** Limits tried in turn: characters of a text, members of a list or object. Lists shrink before texts do. */
const CUTS = [
  { text: 100_000, members: 1000 },
  { text: 50_000, members: 200 },
  { text: 20_000, members: 100 },
  { text: 5000, members: 100 },
  { text: 1000, members: 50 },
  { text: 200, members: 20 },
];

/**
 * Runs a route, and returns its answer as JSON that a page can take. A list whose items are too long together becomes a
 * shorter list. If the answer is still too long, its texts and lists are cut.
 */
export async function runBounded(
  route: Route,
  view: View,
  input: RouteInput & { query: object },
): Promise<string> {
  const answer = await route.run(input, view);
  const text = JSON.stringify(answer);
  const bytes = Buffer.byteLength(text);
  const { maxBytes = MAX_BYTES } = route;
  if (bytes <= maxBytes) return text;
  const query = input.query as JsonObject;
  const name = LIMITS.find((one) => Number(query[one]) > 1);
  if (route.method !== 'get' || name === undefined) return cutAnswer(answer, maxBytes);
  const shorter = Math.max(1, Math.floor((Number(query[name]) * maxBytes) / bytes / 2));
  return runBounded(route, view, { ...input, query: { ...query, [name]: shorter } });
}

function cutAnswer(answer: unknown, maxBytes: number): string {
  let text = '';
  for (const cuts of CUTS) {
    text = JSON.stringify(cutData(answer, cuts));
    if (Buffer.byteLength(text) <= maxBytes) break;
  }
  return text;
}

function cutData(value: unknown, cuts: (typeof CUTS)[number]): unknown {
  if (typeof value === 'string') return cutText(value, cuts.text);
  if (Array.isArray(value)) return value.slice(0, cuts.members).map((one) => cutData(one, cuts));
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).slice(0, cuts.members);
  return Object.fromEntries(members.map(([key, one]) => [key, cutData(one, cuts)]));
}
