import { isJsonObject, type JsonSchema, requiredOf } from '../../json.ts';
import type { Demands } from '../text/given-values.ts';

const MAX_DEPTH = 3;
const MAX_PARAMETERS = 200;
const MAX_CHOICES = 20;
const MAX_CHARACTERS = 8000;

const NOTHING: Demands = { required: 0, numbers: 0, ids: 0 };
const NUMBER_TYPES = new Set<unknown>(['integer', 'number']);
const ID = /(?:^|[_-])(?:id|key|token|uuid)$|I[dD]$/;

/** Counts the values that a call must give, and those of them that are numbers or ids. */
export function readDemands(schema: JsonSchema): Demands {
  const required = requiredOf(schema).slice(0, MAX_PARAMETERS);
  if (required.length === 0) return NOTHING;
  const isNumber = (name: string) => {
    const parameter = schema.properties?.[name];
    return isJsonObject(parameter) && NUMBER_TYPES.has(parameter.type);
  };
  const numbers = required.filter(isNumber).length;
  const ids = required.filter((name) => !isNumber(name) && ID.test(name.slice(-8))).length;
  return { required: required.length, numbers, ids };
}

/** The texts of a schema, bounded. */
export interface ParameterTexts {
  names: string;
  /** Descriptions and enum values. */
  descriptions: string;
}

/** Reads the names and descriptions of the parameters, nested ones included. */
export function readParameters(schema: JsonSchema): ParameterTexts {
  const names: string[] = [];
  const descriptions: string[] = [];
  let left = MAX_CHARACTERS;
  const keep = (list: string[], text: unknown) => {
    if (typeof text !== 'string' || left <= 0) return;
    list.push(text.slice(0, left));
    left -= text.length;
  };
  const visit = (value: unknown, depth: number) => {
    if (!isJsonObject(value) || depth > MAX_DEPTH || !isJsonObject(value.properties)) return;
    for (const name in value.properties) {
      if (names.length >= MAX_PARAMETERS || left <= 0) return;
      if (!Object.hasOwn(value.properties, name)) continue;
      keep(names, name);
      const parameter = value.properties[name];
      if (!isJsonObject(parameter)) continue;
      keep(descriptions, parameter.description);
      if (Array.isArray(parameter.enum))
        for (const choice of parameter.enum.slice(0, MAX_CHOICES)) keep(descriptions, choice);
      visit(parameter, depth + 1);
      visit(parameter.items, depth + 1);
    }
  };
  visit(schema, 0);
  return { names: names.join(' '), descriptions: descriptions.join('\n') };
}
