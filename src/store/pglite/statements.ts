import { messages, type PGlite, protocol } from '@electric-sql/pglite';
import { isStalePlanError, StatementNames } from '../statement-names.ts';
import type { RawResult, SqlText } from '../value-conversion.ts';

const { serialize } = protocol;

/**
 * Runs statements by their protocol messages, all messages of a statement at once. PGlite's own `query` parses each text
 * again, and enters the engine six times where this enters it once.
 */
export class PgliteStatements {
  readonly #pglite: PGlite;
  readonly #names = new StatementNames();
  /** The result columns of the prepared statements, by name. */
  readonly #fields = new Map<string, RawResult['fields']>();

  constructor(pglite: PGlite) {
    this.#pglite = pglite;
  }

  async run(sql: string, params: SqlText[], prepare: boolean): Promise<RawResult> {
    const name = (prepare && this.#names.nameOf(sql)) || '';
    const known = this.#fields.get(name);
    const request = [
      ...(known ? [] : [serialize.parse({ name, text: sql }), serialize.describe({ type: 'S', name })]),
      serialize.bind({ statement: name, values: params }),
      serialize.execute({}),
      serialize.sync(),
    ];
    const response = await this.#pglite.execProtocolStream(Buffer.concat(request), {
      syncToFs: false,
      throwOnError: false,
    });
    const result = readResponse(response, known);
    if (name !== '' && result.fields) this.#fields.set(name, result.fields);
    if (!result.error) return { ...result, fields: result.fields ?? [] };
    if (isStalePlanError(result.error)) {
      this.#names.renew();
      this.#fields.clear();
    }
    throw result.error;
  }
}

interface Response extends Omit<RawResult, 'fields'> {
  /** Undefined if the statement could not be parsed. */
  fields: RawResult['fields'] | undefined;
  error?: messages.DatabaseError;
}

function readResponse(
  response: readonly messages.BackendMessage[],
  known: RawResult['fields'] | undefined,
): Response {
  const result: Response = { command: '', fields: known, rows: [], rowCount: 0 };
  for (const message of response) {
    if (message instanceof messages.DatabaseError) result.error ??= message;
    else if (message instanceof messages.DataRowMessage) result.rows.push(message.fields as SqlText[]);
    else if (message instanceof messages.RowDescriptionMessage)
      result.fields = message.fields.map(({ name, dataTypeID }) => ({ name, dataTypeID }));
    else if (message.name === 'noData') result.fields = [];
    else if (message instanceof messages.CommandCompleteMessage) {
      // "INSERT 0 5", "SELECT 2", "CREATE TABLE".
      const words = message.text.split(' ');
      result.command = words[0] as string;
      result.rowCount = Number(words.at(-1)) || 0;
    }
  }
  return result;
}
