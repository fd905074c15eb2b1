import { runCodeTask } from '../../code/index.ts';
import { messageOf } from '../../errors.ts';
import { isJsonObject, type JsonSchema } from '../../json.ts';
import type { Log } from '../../log.ts';
import type { Queryable } from '../../store/index.ts';
import { READER, saveIdentity } from '../tables/pattern-identities.ts';

/** How many patterns are read from the database at once. */
const AT_ONCE = 50;

interface UnreadPattern {
  id: string;
  code: string;
  parametersSchema: JsonSchema;
  toolsUsed: string[];
}

/** Selects the next patterns after $1 that neither this version of the reader nor a newer one has read. */
const UNREAD = `select p.id, p.code_snippet as "code", p.parameters_schema as "parametersSchema", p.tools_used as "toolsUsed"
  from workflow_pattern p
  where p.id > $1 and not exists (
    select 1 from pattern_identities i where i.pattern_id = p.id and i.reader >= ${READER})
  order by p.id limit ${AT_ONCE}`;

/**
 * Computes the identities of patterns that have none from this reader, such as those from bundles. Each identity is
 * stored by itself, so a stopped process resumes at its next start. Returns how many patterns were read.
 */
export async function identifyPatterns(db: Queryable, signal: AbortSignal): Promise<number> {
  let count = 0;
  for (let last = ''; ; ) {
    const { rows } = await db.query<UnreadPattern>(UNREAD, [last]);
    for (const { id, code, parametersSchema, toolsUsed } of rows) {
      if (signal.aborted) return count;
      const options = { callees: toolsUsed, data: dataOf(parametersSchema) };
      // Code that cannot be analysed in time is matched by its text alone.
      const forms = await runCodeTask('identify', code, options).catch(() => []);
      await saveIdentity(db, id, forms);
      count += 1;
      last = id;
    }
    if (rows.length < AT_ONCE) return count;
  }
}

/** Runs `identifyPatterns` in the background until it is stopped. */
export class PatternIdentifier {
  readonly #stopping = new AbortController();
  readonly #done: Promise<void>;

  constructor(db: Queryable, log: Log) {
    this.#done = identifyPatterns(db, this.#stopping.signal).then(
      (count) => {
        if (count > 0) log.info(`computed the missing identities of ${count} stored patterns`);
      },
      (error) => log.warn(`cannot compute the identities of stored patterns: ${messageOf(error)}`),
    );
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#done;
  }
}

/** The parameters that were literals once: they have a default, an example, or are secret. */
function dataOf({ properties = {} }: JsonSchema): string[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const isData =
      isJsonObject(schema) && ('default' in schema || 'examples' in schema || schema.writeOnly === true);
    return isData ? [name] : [];
  });
}
