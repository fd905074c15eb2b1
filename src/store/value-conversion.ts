import pg from 'pg';

/** A value in PostgreSQL's text format. */
export type SqlText = string | null;

/** An engine's result, with all values as text. */
export interface RawResult {
  command: string;
  fields: { name: string; dataTypeID: number }[];
  rows: SqlText[][];
  rowCount: number;
}

const asBytes = (text: string) => new Uint8Array(Buffer.from(text.slice('\\x'.length), 'hex'));
const asBoolean = (text: string) => text === 't';
const asDate = (text: string) => new Date(text);

/** [oid of the type, oid of its arrays, parser]. Values of other types stay text. */
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

type NestedTexts = (SqlText | NestedTexts)[];
const TEXT_ARRAY: number = 1009;
const readTextArray = pg.types.getTypeParser(TEXT_ARRAY, 'text') as (text: string) => NestedTexts;

const readers = new Map<number, (text: string) => unknown>();
for (const [oid, arrayOid, read] of TYPES) {
  // One argument only: JSON.parse would take the index of an array element for its reviver.
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

/** Converts a parameter to text. The engines' own conversions differ, so neither is used. */
export function toSqlText(value: unknown): SqlText {
  if (value === null || value === undefined) return null;
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString('hex')}`;
  if (Array.isArray(value)) return `{${value.map(asElement).join(',')}}`;
  if (typeof value === 'object') return JSON.stringify(value);
  return String(value);
}

function asElement(value: unknown): string {
  const text = toSqlText(value);
  if (text === null) return 'NULL';
  return Array.isArray(value) ? text : `"${text.replace(/["\\]/g, '\\$&')}"`;
}
