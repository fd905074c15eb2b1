import type { JsonSchema } from '../../json.ts';
import {
  describesNameOfSecret,
  findSecrets,
  isRandomWord,
  isSecretKey,
  isSecretNumber,
  isSecretSchema,
} from '../../secrets/index.ts';
import { foldName } from '../references/suggest-names.ts';
import * as names from './parameter-meaning.ts';
import * as shapes from './text-shapes.ts';

/**
 * The fate of a literal that is passed to a call. `data` becomes a parameter and is no part of the code's identity.
 * `program` (SQL, shell, code, a regular expression, a template, a prompt) stays in the code and its identity. `secret`
 * becomes a required parameter and is stored nowhere.
 */
export type LiteralKind = 'data' | 'program' | 'secret';

export interface Literal {
  readonly value: string | number | boolean;
  /** The name of the property or variable that holds it. */
  readonly key?: string | undefined;
  /** The tool's schema of that property. */
  readonly schema?: JsonSchema | undefined;
}

/**
 * What a verdict is based on. `name` and `schema` are the same for all values of a parameter. `shape` is that of one
 * value, but the verdict holds for all (see `ParameterVerdicts`). `value` concerns this literal alone.
 */
export type Evidence = 'value' | 'name' | 'schema' | 'shape';

export interface Classification {
  readonly kind: LiteralKind;
  /** The name of the rule that decided. */
  readonly rule: string;
  readonly by: Evidence;
}

interface Rule extends Classification {
  /** Tested on the key without case, `_` and `-`. */
  readonly key?: RegExp | readonly RegExp[];
  readonly shape?: (value: string, key: string | undefined) => boolean;
  readonly schema?: (schema: JsonSchema) => boolean;
}

/** In characters of JSON. A longer text is no readable default. */
export const MAX_DEFAULT = 2000;

/** The first rule whose conditions all hold decides. Numbers and booleans never get here. */
// biome-ignore format: a table
const RULES: readonly Rule[] = [
  { by: 'value',  kind: 'secret',  rule: 'secret by schema', schema: isSecretSchema, shape: isFilled },
  { by: 'value',  kind: 'data',    rule: 'name of a secret', key: /(?:secret|token|key|credentials?)$/, schema: describesNameOfSecret, shape: (value) => !hasSecretShape(value) },
  { by: 'value',  kind: 'secret',  rule: 'secret by key', shape: (value, key) => isFilled(value) && key !== undefined && isSecretKey(key, value) },
  { by: 'value',  kind: 'secret',  rule: 'secret by shape', shape: hasSecretShape },
  { by: 'value',  kind: 'secret',  rule: 'random word', shape: isRandomWord },
  { by: 'value',  kind: 'program', rule: 'unstorable characters', shape: shapes.unstorable },
  { by: 'value',  kind: 'program', rule: 'long text', shape: isLong },

  { by: 'schema', kind: 'data',    rule: 'one of a list, or the name of a thing', schema: names.namesAThing },
  { by: 'name',   kind: 'data',    rule: 'id, place, time or choice by name', key: names.DESIGNATION },
  { by: 'name',   kind: 'program', rule: 'program by name', key: names.PROGRAM_NAME },
  { by: 'schema', kind: 'data',    rule: 'data by schema', schema: names.describesData },
  { by: 'schema', kind: 'program', rule: 'program by schema', schema: names.saysProgram },
  { by: 'schema', kind: 'data',    rule: 'words by schema', schema: names.saysWords },
  { by: 'name',   kind: 'data',    rule: 'payload by name', key: names.PAYLOAD_NAME },

  { by: 'shape',  kind: 'program', rule: 'SQL', shape: shapes.sql },
  { by: 'shape',  kind: 'program', rule: 'graph query', shape: shapes.graphQuery },
  { by: 'shape',  kind: 'program', rule: 'template', shape: shapes.template },
  { by: 'shape',  kind: 'data',    rule: 'URL', shape: shapes.url },
  { by: 'shape',  kind: 'data',    rule: 'JSON', shape: shapes.json },
  { by: 'shape',  kind: 'data',    rule: 'markup', shape: shapes.markup },
  { by: 'shape',  kind: 'program', rule: 'search operators', key: names.SEARCH_NAME, shape: shapes.searchOperator },
  { by: 'shape',  kind: 'program', rule: 'filter', shape: shapes.filter },
  { by: 'shape',  kind: 'program', rule: 'regular expression', shape: shapes.regularExpression },
  { by: 'shape',  kind: 'program', rule: 'shell', shape: shapes.shell },
  { by: 'shape',  kind: 'program', rule: 'flag of a command', shape: shapes.flag },
  { by: 'shape',  kind: 'program', rule: 'selector', shape: shapes.selector },
  { by: 'shape',  kind: 'program', rule: 'code', shape: shapes.code },
  { by: 'shape',  kind: 'program', rule: 'formula', shape: shapes.formula },
  { by: 'shape',  kind: 'program', rule: 'more than a word', key: names.PROGRAM_UNLESS_WORD, shape: shapes.operators },
  { by: 'shape',  kind: 'data',    rule: 'payload' },
];

export function classifyLiteral({ value, key, schema }: Literal): Classification {
  if (typeof value === 'boolean') return { kind: 'data', rule: 'flag', by: 'value' };
  if (typeof value === 'number') return classifyNumber(value, key, schema);
  const folded = key === undefined ? '' : foldName(key);
  for (const { rule, kind, by, ...when } of RULES) {
    if (when.key && ![when.key].flat().some((pattern) => pattern.test(folded))) continue;
    if (when.schema && !(schema && when.schema(schema))) continue;
    if (when.shape && !when.shape(value, key)) continue;
    return { kind, rule, by };
  }
  return { kind: 'program', rule: 'none', by: 'value' };
}

/** A number is data unless it is a PIN, a card number or another secret of digits. */
function classifyNumber(
  value: number,
  key: string | undefined,
  schema: JsonSchema | undefined,
): Classification {
  if (schema && isSecretSchema(schema) && value > 99)
    return { kind: 'secret', rule: 'secret by schema', by: 'value' };
  const isSecret = key !== undefined && isSecretNumber(key, value);
  return isSecret
    ? { kind: 'secret', rule: 'secret by key', by: 'value' }
    : { kind: 'data', rule: 'number', by: 'value' };
}

function hasSecretShape(value: string): boolean {
  return findSecrets(value).length > 0;
}

function isFilled(value: string): boolean {
  return value !== '';
}

function isLong(value: string): boolean {
  return value.length > MAX_DEFAULT || JSON.stringify(value).length > MAX_DEFAULT;
}
