/** The fields of PostgreSQL's error response. */
export interface SqlErrorFields {
  message: string;
  code?: string;
  severity?: string;
  detail?: string;
  hint?: string;
  schema?: string;
  table?: string;
  column?: string;
  constraint?: string;
  position?: string;
  where?: string;
}

const FIELDS = [
  'code',
  'severity',
  'detail',
  'hint',
  'schema',
  'table',
  'column',
  'constraint',
  'position',
  'where',
] as const;

/** A statement that the database refused, the same on both engines; `code` is the SQLSTATE. */
export class SqlError extends Error {
  override readonly name = 'SqlError';
  readonly code: string | undefined;
  readonly detail: string | undefined;
  readonly table: string | undefined;
  readonly column: string | undefined;
  readonly constraint: string | undefined;
  readonly position: string | undefined;

  constructor(fields: SqlErrorFields) {
    super(fields.message);
    this.code = fields.code;
    this.detail = fields.detail;
    this.table = fields.table;
    this.column = fields.column;
    this.constraint = fields.constraint;
    this.position = fields.position;
  }
}

/** Copies the fields of an engine's error into a plain object, which can be sent between threads. */
export function sqlErrorFields(error: Error): SqlErrorFields {
  const fields: SqlErrorFields = { message: error.message };
  for (const name of FIELDS) {
    const value = (error as unknown as Record<string, unknown>)[name];
    if (typeof value === 'string') fields[name] = value;
  }
  return fields;
}
