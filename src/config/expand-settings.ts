import { isJsonObject } from '../json.ts';
import { isSecretSetting } from '../secrets/index.ts';
import { addSecret } from './expand-variables.ts';
import { type BuildContext, expandAt } from './server-config.ts';
import type { Path } from './validation-problems.ts';

/**
 * The settings besides servers and embeddings in which variables are expanded; `*` stands for any key. System prompts
 * are prose, so they are not among them.
 */
const PLACES: readonly Path[] = [
  ['scope', 'org'],
  ['scope', 'project'],
  ['scope', 'admins'],
  ['curation', 'model'],
  ['agents', '*', 'model'],
  ['agents', '*', 'capabilities'],
];

/** Returns the parsed JSON of a file with the variables of these settings expanded. A text that cannot be expanded stays as it is. */
export function expandSettings(raw: unknown, build: BuildContext): unknown {
  return PLACES.reduce((value, place) => changeAt(value, place, [], build), raw);
}

function changeAt(value: unknown, [key, ...rest]: Path, at: Path, build: BuildContext): unknown {
  if (key === undefined) return expandTexts(value, at, build);
  if (!isJsonObject(value)) return value;
  const keys = key === '*' ? Object.keys(value) : [key].filter((own) => Object.hasOwn(value, own));
  const changed = keys.map((own) => [own, changeAt(value[own], rest, [...at, own], build)] as const);
  return { ...value, ...Object.fromEntries(changed) };
}

function expandTexts(value: unknown, at: Path, build: BuildContext): unknown {
  if (typeof value === 'string') return expandText(value, at, build);
  if (Array.isArray(value)) return value.map((each, i) => expandTexts(each, [...at, i], build));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, expandTexts(each, [...at, key], build)]),
  );
}

function expandText(text: string, at: Path, build: BuildContext): string {
  const expanded = expandAt(text, at, build);
  for (const [name, value] of expanded.from)
    if (isSecretSetting(name, value)) addSecret(value, build.secrets);
  return expanded.problem === undefined ? expanded.text : text;
}
