import { isJsonObject, type JsonObject } from '../../json.ts';

/** A node of the parser's tree is an object with one key, its kind: `{ ColumnRef: { fields: … } }`. */
export type SqlNode = readonly [kind: string, body: JsonObject];

export function nodeOf(value: unknown): SqlNode | undefined {
  if (!isJsonObject(value)) return undefined;
  const [entry] = Object.entries(value);
  return entry && isJsonObject(entry[1]) ? [entry[0], entry[1]] : undefined;
}

/** Returns the body of a node of this kind; undefined if it is of another. */
export function bodyOf(value: unknown, kind: string): JsonObject | undefined {
  const node = nodeOf(value);
  return node?.[0] === kind ? node[1] : undefined;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The items of a `List` node, or the value alone. */
export function itemsOf(value: unknown): readonly unknown[] {
  const list = bodyOf(value, 'List');
  return list ? listOf(list.items) : [value];
}

/** Reads a name with its qualifiers, such as that of a function: `['pg_catalog', 'lower']`. */
export function pathOf(value: unknown): string[] {
  return listOf(value).map((part) => String(bodyOf(part, 'String')?.sval ?? ''));
}
