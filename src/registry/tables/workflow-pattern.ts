import { createHash } from 'node:crypto';
import { PmlError } from '../../errors.ts';
import type { JsonSchema } from '../../json.ts';
import type { Queryable } from '../../store/index.ts';
import { MAX_JSON } from '../../stored-texts.ts';
import { run, sql } from './sql.ts';

/** A row of `workflow_pattern`: code and the parameters it takes. */
export interface PatternRow {
  code: string;
  codeHash: string;
  parametersSchema: JsonSchema;
  toolsUsed: readonly string[];
  /** True if the code calls only what it names; undefined if that is not known. */
  namesCallees?: boolean | undefined;
  /** True if PML made its parameters of the literals of a run; undefined if somebody chose them. */
  isLifted?: boolean | undefined;
}

/** Identifies a pattern by its code and its parameters. */
export function patternIdOf({
  code,
  parametersSchema,
}: Pick<PatternRow, 'code' | 'parametersSchema'>): string {
  return createHash('sha256')
    .update(`${code}\0${JSON.stringify(parametersSchema)}`)
    .digest('hex');
}

/** Stores a pattern, once for all records that have it. */
export async function savePattern(tx: Queryable, pattern: PatternRow): Promise<void> {
  const schema = JSON.stringify(pattern.parametersSchema);
  if (schema.length > MAX_JSON.parameters_schema)
    throw new PmlError(
      'code_limit',
      `The schema of its parameters has ${schema.length} characters; at most ${MAX_JSON.parameters_schema} are kept.`,
    );
  const id = patternIdOf(pattern);
  const insert = sql`insert into workflow_pattern (id, code_hash, code_snippet, parameters_schema, tools_used, names_callees, lifted)
     values (${id}, ${pattern.codeHash}, ${pattern.code}, ${schema}::jsonb, ${pattern.toolsUsed}, ${pattern.namesCallees ?? null}, ${pattern.isLifted ?? null}) on conflict (id) do nothing`;
  await run(tx, insert);
}
