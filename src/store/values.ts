import pg from 'pg';

/** A value as PostgreSQL writes it. */
export type Text = string | null;

/** What an engine answers: everything still text. */
export interface RawResult {
  command: string;
  fields: { name: string; dataTypeID: number }[];
  rows: Text[][];
  rowCount: number;
}

const asBytes = (text: string) => new Uint8Array(Buffer.from(text.slice('\\x'.length), 'hex'));
const asBoolean = (text: string) => text === 't';
const asDate = (text: string) => new Date(text);

/** Type → [its oid, the oid of arrays of it, how its text is read]. What is not here stays text. */
const TYPES: [oid: number, arrayOid: number, read: (text: string) => unknown][] = [
  [16, 1000, asBoolean], // bool
  [17, 1001, asBytes], // bytea
  [20, 1016, Number], // int8
  [21, 1005, Number], // int2
  [23, 1007, Number], // int4
  [25, 1009, String], // text
  [114, 199, JSON.parse], // json
  [700, 1021, Number], // float4
  [701, 1022, Number], // float8
  [1043, 1015, String], // varchar
  [1184, 1185, asDate], // timestamptz
  [2950, 2951, String], // uuid
  [3802, 3807, JSON.parse], // jsonb
];

type NestedTexts = (Text | NestedTexts)[];
const TEXT_ARRAY: number = 1009;
const readTextArray = pg.types.getTypeParser(TEXT_ARRAY, 'text') as (text: string) => NestedTexts;

const readers = new Map<number, (text: string) => unknown>();
for (const [oid, arrayOid, read] of TYPES) {
  // JSON.parse and Number take further arguments, which an array reader would fill with indexes.
  const readOne = (text: string) => read(text);
  readers.set(oid, readOne);
  readers.set(arrayOid, (text) => mapNested(readTextArray(text), readOne));
}

function mapNested(items: NestedTexts, read: (text: string) => unknown): unknown[] {
  return items.map((item) =>
    Array.isArray(item) ? mapNested(item, read) : item === null ? null : read(item),
  );
}

export function toRows({ fields, rows }: RawResult): Record<string, unknown>[] {
  const columns = fields.map((field) => ({ name: field.name, read: readers.get(field.dataTypeID) }));
  return rows.map((row) => {
    const record: Record<string, unknown> = {};
    columns.forEach(({ name, read }, i) => {
      const text = row[i] ?? null;
      record[name] = text === null || read === undefined ? text : read(text);
    });
    return record;
  });
}

/** A parameter as text: the engines' own conversions differ, so neither is used. */
export function asText(value: unknown): Text {
  if (value === null || value === undefined) return null;
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString('hex')}`;
  if (Array.isArray(value)) return `{${value.map(asElement).join(',')}}`;
  if (typeof value === 'object') return JSON.stringify(value);
  return String(value);
}

function asElement(value: unknown): string {
  const text = asText(value);
  if (text === null) return 'NULL';
  return Array.isArray(value) ? text : `"${text.replace(/["\\]/g, '\\$&')}"`;
}
