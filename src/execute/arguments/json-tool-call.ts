import { referenceText } from '../../code/index.ts';
import { PmlError } from '../../errors.ts';
import { isJsonObject, type JsonObject } from '../../json.ts';
import { cutText } from '../../json-size.ts';

const NAME_KEYS = ['tool', 'tool_name', 'toolName', 'name', 'function'];
const ARGUMENT_KEYS = ['arguments', 'args', 'input', 'params', 'parameters'];
const MAX_CALL = 1000;

/** A call of a tool as models write it in JSON. */
export interface JsonCall {
  readonly name: string;
  readonly args: JsonObject;
}

/**
 * Reads code that is JSON: a call of a tool, or a program in quotes. Both are valid expressions, which would run, do
 * nothing and be remembered. Returns undefined for any other code.
 */
export function readJsonCode(source: string): JsonCall | 'quoted' | undefined {
  const text = source.trim();
  if (!text.startsWith('{') && !text.startsWith('"')) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value === 'string') return /\bmcp\b/.test(value) ? 'quoted' : undefined;
  if (!isJsonObject(value)) return undefined;
  const members = value;
  const name = NAME_KEYS.map((key) => members[key]).find((one) => typeof one === 'string');
  const args = ARGUMENT_KEYS.map((key) => members[key]).find(isJsonObject);
  return name !== undefined && args !== undefined ? { name: String(name), args } : undefined;
}

/** Makes the error for code that is JSON. `tool` is the tool that a call means, if there is one. */
export function notAProgram(sent: JsonCall | 'quoted', tool: string | undefined): PmlError {
  const hint =
    sent === 'quoted'
      ? 'Send the program itself, without quotes around it.'
      : `Write \`${callText(tool ?? sent.name, sent.args)}\`.`;
  return new PmlError('syntax_error', 'The code is JSON, not a program: it calls nothing.', { hint });
}

function callText(tool: string, args: JsonObject): string {
  return cutText(`return await ${referenceText(tool)}(${JSON.stringify(args)})`, MAX_CALL);
}
