import type { Queryable } from '../../store/index.ts';

/** A piece of SQL with the values of its parameters. Pieces nest; their placeholders are numbered when the whole is run. */
export class Sql {
  /** One more than the values: the text before, between and after them. */
  readonly texts: readonly string[];
  readonly values: readonly unknown[];

  constructor(texts: readonly string[], values: readonly unknown[]) {
    this.texts = texts;
    this.values = values;
  }

  /** Returns the text with its placeholders; the values are appended to `parameters`. */
  print(parameters: unknown[]): string {
    let text = this.texts[0] as string;
    for (let at = 0; at < this.values.length; at++) {
      const value = this.values[at];
      text += value instanceof Sql ? value.print(parameters) : `$${parameters.push(value)}`;
      text += this.texts[at + 1];
    }
    return text;
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
  const names = Object.keys(columns).join(', ');
  const values = Object.values(columns);
  const between = values.slice(1).map(() => ', ');
  if (source) return new Sql([`(${names}) select `, ...between, ' ', ''], [...values, source]);
  return new Sql([`(${names}) values (`, ...between, ')'], values);
}

/** `a = $1, b = $2`. */
export function assignments(columns: object): Sql {
  const texts = Object.keys(columns).map((name, at) => `${at === 0 ? '' : ', '}${name} = `);
  return new Sql([...texts, ''], Object.values(columns));
}

/** Runs a statement. The same pieces always print the same text, so the engine keeps it prepared. */
export function run<R = Record<string, unknown>>(
  db: Queryable,
  statement: Sql,
): Promise<{ rows: R[]; rowCount: number }> {
  const parameters: unknown[] = [];
  return db.query<R>(statement.print(parameters), parameters);
}
