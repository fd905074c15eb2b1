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
import * as shapes from './text-shapes.ts';

/**
 * What becomes of a literal that is passed to a call. `data` becomes a parameter and is no part of the code's identity.
 * `program` (a program or a sentence) stays in the code and its identity. `secret` becomes a required parameter and is
 * stored nowhere.
 */
export type LiteralKind = 'data' | 'program' | 'secret';

export interface Literal {
  readonly value: string | number | boolean;
  /** The name of the property or variable that holds it. */
  readonly key?: string | undefined;
  /** The tool's schema of that property. */
  readonly schema?: JsonSchema | undefined;
}

export interface Classification {
  readonly kind: LiteralKind;
  /** The name of the rule that decided. */
  readonly rule: string;
}

interface Rule {
  readonly kind: LiteralKind;
  readonly rule: string;
  /** Tested on the key without case, `_` and `-`. */
  readonly key?: RegExp;
  readonly shape?: (value: string, key: string | undefined) => boolean;
  readonly schema?: (schema: JsonSchema) => boolean;
}

const DESCRIBES_PROGRAM = [
  /\b(?:sql|kql|graphql|jql|cql|promql|logql|cypher|sparql|odata|lucene|xpath|jsonpath|jmespath|jq|css)\b.{0,25}\b(?:query|queries|statement|expression|filter|selector|clause|syntax)\b/i,
  /\bregular expression\b|\bregex\b|\bquery (?:language|syntax)\b|\bnatural language\b|\bprompt (?:for|to|template)\b/i,
  /\b(?:code|script|command|snippet|query|statement)\b.{0,25}\bto (?:run|execute|evaluate)\b/i,
  /\b(?:python|javascript|typescript|bash|shell|powershell)\b.{0,15}\b(?:code|script|commands?|function|expression)\b/i,
];
const COMMAND_KEY =
  /^(?:cmd|commands?|commandline|shell|bash|jq|jql|kql|promql|cypher|gql|graphql|mutation)$|sql(?:query)?$/;
const PROGRAM_KEY =
  /(?:prompts?|instructions?|expression)$|^(?:script|javascript|(?:python|js|source)code|codesnippet|regexp?|xpath|css|(?:css)?selector|locator|jsonpath|formula|where(?:clause)?|system(?:message)?|patch|diff)$|^(?:old|new)(?:text|str|string)$|^(?:message|text|url|body)?template$/;
const PHRASE_KEY =
  /^(?:q|query|search|search(?:query|terms?)|keywords?|terms?|phrase|city|place|venue|street|origin|destination|from|to|company|author|artist|labels?|tags?)$|(?:name|title|subject|topic|address|location)$/;

/** The first rule whose conditions all hold decides. Numbers and booleans never get here. */
// biome-ignore format: a table
const RULES: readonly Rule[] = [
  { kind: 'secret',  rule: 'secret by schema', schema: isSecretSchema, shape: isFilled },
  { kind: 'data',    rule: 'name of a secret', key: /(?:secret|token|key|credentials?)$/, schema: describesNameOfSecret, shape: (value) => !hasSecretShape(value) },
  { kind: 'secret',  rule: 'secret by key', shape: (value, key) => isFilled(value) && key !== undefined && isSecretKey(key, value) },
  { kind: 'secret',  rule: 'secret by shape', shape: hasSecretShape },
  { kind: 'secret',  rule: 'random word', shape: isRandomWord },

  { kind: 'program', rule: 'unstorable characters', shape: shapes.unstorable },
  { kind: 'program', rule: 'long text', shape: shapes.long },
  { kind: 'data',    rule: 'one of a list', schema: (schema) => Array.isArray(schema.enum) },

  { kind: 'program', rule: 'command by key', key: COMMAND_KEY },
  { kind: 'program', rule: 'SQL', shape: shapes.sql },
  { kind: 'program', rule: 'graph query', shape: shapes.graphQuery },
  { kind: 'program', rule: 'template', shape: shapes.template },
  { kind: 'data',    rule: 'URL', shape: shapes.url },
  { kind: 'data',    rule: 'JSON', shape: shapes.json },
  { kind: 'program', rule: 'filter', shape: shapes.filter },
  { kind: 'program', rule: 'regular expression', shape: shapes.regularExpression },
  { kind: 'program', rule: 'markup', shape: shapes.markup },
  { kind: 'program', rule: 'shell', shape: shapes.shell },
  { kind: 'program', rule: 'selector', shape: shapes.selector },
  { kind: 'program', rule: 'code', shape: shapes.code },

  { kind: 'data',    rule: 'path or glob', shape: shapes.path },
  { kind: 'data',    rule: 'date or time', shape: shapes.time },
  { kind: 'data',    rule: 'mail address', shape: shapes.mail },
  { kind: 'data',    rule: 'number', shape: shapes.number },

  { kind: 'program', rule: 'program by key', key: PROGRAM_KEY },
  { kind: 'program', rule: 'program by schema', schema: describes(...DESCRIBES_PROGRAM) },
  { kind: 'data',    rule: 'name, place or search words', key: PHRASE_KEY, shape: shapes.phrase },
  { kind: 'data',    rule: 'list of words', shape: shapes.list },
  { kind: 'program', rule: 'sentence', shape: shapes.sentence },
  { kind: 'data',    rule: 'short word' },
];

export function classifyLiteral({ value, key, schema }: Literal): Classification {
  if (typeof value === 'boolean') return { kind: 'data', rule: 'flag' };
  if (typeof value === 'number') return classifyNumber(value, key, schema);
  const folded = key === undefined ? '' : foldName(key);
  for (const { rule, kind, ...when } of RULES) {
    if (when.key && !when.key.test(folded)) continue;
    if (when.schema && !(schema && when.schema(schema))) continue;
    if (when.shape && !when.shape(value, key)) continue;
    return { kind, rule };
  }
  return { kind: 'program', rule: 'none' };
}

/** A number is data unless it is a PIN, a card number or another secret of digits. */
function classifyNumber(
  value: number,
  key: string | undefined,
  schema: JsonSchema | undefined,
): Classification {
  if (schema && isSecretSchema(schema) && value > 99) return { kind: 'secret', rule: 'secret by schema' };
  const isSecret = key !== undefined && isSecretNumber(key, value);
  return isSecret ? { kind: 'secret', rule: 'secret by key' } : { kind: 'data', rule: 'number' };
}

function describes(...patterns: RegExp[]): (schema: JsonSchema) => boolean {
  return ({ description }) => patterns.some((pattern) => pattern.test(descriptionOf(description)));
}

function descriptionOf(description: unknown): string {
  return String(description ?? '').slice(0, 300);
}

function hasSecretShape(value: string): boolean {
  return findSecrets(value).length > 0;
}

function isFilled(value: string): boolean {
  return value !== '';
}
