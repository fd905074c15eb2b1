import { isJsonSchema, type JsonSchema } from './json.ts';
import { referenceText } from './rewrite.ts';

export interface SignatureOptions {
  /** What the call answers, if it says so. */
  readonly returns?: JsonSchema | undefined;
  /** In characters. */
  readonly limit?: number;
}

const LIMIT = 240;
const LONGEST_TYPE = 80;
const MOST_CHOICES = 6;
const MAX_DEPTH = 3;
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

/** One line of TypeScript that tells how to call a name: `mcp.fs.read(args: { path: string }): Promise<unknown>`. */
export function printSignature(name: string, schema: JsonSchema, options: SignatureOptions = {}): string {
  const { returns, limit = LIMIT } = options;
  const head = referenceText(name);
  const result = returns ? typeText(returns) : 'unknown';
  const required = new Set(schema.required ?? []);
  // Required ones first: they are the last to be left out.
  const members = Object.entries(schema.properties ?? {})
    .sort(([a], [b]) => Number(required.has(b)) - Number(required.has(a)))
    .map(
      ([key, value]) =>
        `${keyText(key)}${required.has(key) ? '' : '?'}: ${isJsonSchema(value) ? typeText(value) : 'unknown'}`,
    );
  const write = (shown: readonly string[], answer: string): string => {
    const inner = [...shown, ...(shown.length < members.length ? ['…'] : [])].join('; ');
    const parameter = members.length === 0 ? '' : `args${required.size > 0 ? '' : '?'}: { ${inner} }`;
    return `${head}(${parameter}): Promise<${answer}>`;
  };
  for (let count = members.length; count >= 0; count -= 1) {
    const line = write(members.slice(0, count), result);
    if (line.length <= limit) return line;
  }
  const shortest = write([], 'unknown');
  return shortest.length <= limit ? shortest : `${shortest.slice(0, limit - 1)}…`;
}

function typeText(schema: JsonSchema, depth = 0): string {
  const text = longTypeText(schema, depth);
  return text.length <= LONGEST_TYPE ? text : baseText(schema);
}

function longTypeText(schema: JsonSchema, depth: number): string {
  const choices = [schema.anyOf, schema.oneOf].find(Array.isArray) as unknown[] | undefined;
  if (Array.isArray(schema.enum)) {
    const isShort = schema.enum.length <= MOST_CHOICES;
    return isShort ? schema.enum.map((value) => JSON.stringify(value)).join(' | ') : baseText(schema);
  }
  if (schema.const !== undefined) return JSON.stringify(schema.const) ?? 'unknown';
  if (choices && depth < MAX_DEPTH) {
    const texts = choices.map((choice) => (isJsonSchema(choice) ? typeText(choice, depth + 1) : 'unknown'));
    return [...new Set(texts)].join(' | ');
  }
  if (schema.type === 'array') {
    const item =
      isJsonSchema(schema.items) && depth < MAX_DEPTH ? typeText(schema.items, depth + 1) : 'unknown';
    return / [|&] /.test(item) ? `(${item})[]` : `${item}[]`;
  }
  const isObject = schema.type === 'object' && schema.properties !== undefined && depth < MAX_DEPTH;
  return isObject ? objectText(schema, depth) : baseText(schema);
}

function objectText({ properties = {}, required = [] }: JsonSchema, depth: number): string {
  const members = Object.entries(properties).map(([key, value]) => {
    const type = isJsonSchema(value) ? typeText(value, depth + 1) : 'unknown';
    return `${keyText(key)}${required.includes(key) ? '' : '?'}: ${type}`;
  });
  return members.length > 0 ? `{ ${members.join('; ')} }` : 'object';
}

const BASE: Record<string, string> = { integer: 'number', array: 'unknown[]' };

function baseText({ type, enum: choices }: JsonSchema): string {
  const types = type === undefined ? (choices ?? []).map((value) => typeof value) : [type].flat();
  return [...new Set(types.map((each) => BASE[each] ?? each))].join(' | ') || 'unknown';
}

function keyText(key: string): string {
  return IDENTIFIER.test(key) ? key : JSON.stringify(key);
}
