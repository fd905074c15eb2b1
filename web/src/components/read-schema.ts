/** A parameter, as a form shows it. */
export interface Field {
  name: string;
  kind: 'text' | 'number' | 'boolean' | 'choice' | 'json';
  isRequired: boolean;
  description: string;
  /** The options of a choice, as JSON. */
  choices: string[];
  /** The initial value of the field, as text of its kind. */
  initial: string;
  example: string;
}

type Schema = Record<string, unknown>;
const MAX_FIELDS = 100;

/** Reads the fields of a form off a JSON Schema of an object. The schema is a server's or a model's: nothing in it is trusted. */
export function readFields(schema: unknown): Field[] {
  const properties = objectIn(schema, 'properties');
  const required = listIn(schema, 'required');
  return Object.entries(properties)
    .slice(0, MAX_FIELDS)
    .map(([name, property]) => readField(name, isObject(property) ? property : {}, required.includes(name)));
}

function readField(name: string, property: Schema, isRequired: boolean): Field {
  const choices = listIn(property, 'enum').slice(0, MAX_FIELDS);
  const kind = choices.length > 0 ? 'choice' : kindOf(property.type);
  const asText = (value: unknown) => (value === undefined ? '' : textOf(kind, value));
  return {
    name,
    kind,
    isRequired,
    description: typeof property.description === 'string' ? property.description.slice(0, 1000) : '',
    choices: choices.map((choice) => JSON.stringify(choice)),
    initial: asText(property.default),
    example: asText(property.example ?? listIn(property, 'examples')[0]).slice(0, 200),
  };
}

function kindOf(type: unknown): Field['kind'] {
  if (type === 'string') return 'text';
  if (type === 'number' || type === 'integer') return 'number';
  if (type === 'boolean') return 'boolean';
  return 'json';
}

function textOf(kind: Field['kind'], value: unknown): string {
  if (kind === 'text' && typeof value === 'string') return value;
  return JSON.stringify(value, null, kind === 'json' ? 2 : 0) ?? '';
}

/** Reads the value of a field. Throws if it is wrong. An empty field gives undefined, a required text ''. */
export function readValue({ kind, isRequired }: Field, text: string): unknown {
  if (text === '') {
    if (isRequired && kind !== 'text') throw new Error('This is required.');
    return isRequired ? '' : undefined;
  }
  if (kind === 'text') return text;
  if (kind === 'number') {
    const value = Number(text);
    if (!Number.isFinite(value)) throw new Error('This must be a number.');
    return value;
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('This must be JSON, such as "text", 3, ["a"] or {"key": true}.');
  }
}

function isObject(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function objectIn(value: unknown, key: string): Schema {
  return isObject(value) && isObject(value[key]) ? value[key] : {};
}

function listIn(value: unknown, key: string): unknown[] {
  return isObject(value) && Array.isArray(value[key]) ? value[key] : [];
}
