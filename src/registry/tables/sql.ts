import type { Queryable } from '../../store/index.ts';

/** A piece of SQL with the values of its parameters. Pieces nest; their placeholders are numbered when the whole is run. */
export class Sql {
  readonly #texts: readonly string[];
  readonly #values: readonly unknown[];

  constructor(texts: readonly string[], values: readonly unknown[]) {
    this.#texts = texts;
    this.#values = values;
  }

  /** Returns the text with its placeholders; the values are appended to `parameters`. */
  print(parameters: unknown[]): string {
    return this.#texts.reduce((text, next, index) => {
      const value = this.#values[index - 1];
      return text + (value instanceof Sql ? value.print(parameters) : `$${parameters.push(value)}`) + next;
    });
  }
}

/** Makes a piece of SQL: an interpolated `Sql` is inlined, any other value becomes a parameter. */
export function sql(texts: TemplateStringsArray, ...values: unknown[]): Sql {
  return new Sql(texts, values);
}

/** Takes constant text as SQL. Never call it with text that comes from outside. */
export function raw(text: string): Sql {
  return new Sql([text], []);
}

export const NOW = raw('now()');

/** Columns of a table with the values, or the SQL, to write. */
export type Columns<Row> = { readonly [Column in keyof Row]?: Row[Column] | Sql };

/** `(a, b) values ($1, $2)`; with a source, `(a, b) select $1, $2 from source`. */
export function insertion(columns: object, source?: Sql): Sql {
  const names = raw(Object.keys(columns).join(', '));
  const values = commaSeparated(Object.values(columns));
  return source ? sql`(${names}) select ${values} ${source}` : sql`(${names}) values (${values})`;
}

/** `a = $1, b = $2`. */
export function assignments(columns: object): Sql {
  return commaSeparated(Object.entries(columns).map(([name, value]) => sql`${raw(name)} = ${value}`));
}

function commaSeparated(values: readonly unknown[]): Sql {
  return new Sql(['', ...values.slice(1).map(() => ', '), ''], values);
}

/** Runs a statement. The same pieces always print the same text, so the engine keeps it prepared. */
export function run<R = Record<string, unknown>>(
  db: Queryable,
  statement: Sql,
): Promise<{ rows: R[]; rowCount: number }> {
  const parameters: unknown[] = [];
  return db.query<R>(statement.print(parameters), parameters);
}
