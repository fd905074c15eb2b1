import { PmlError } from './errors.ts';
import { findSecrets, hideSecrets, type Redactor } from './secrets/index.ts';

/** The maximum length of each stored text, in characters. Longer texts are cut. */
export const MAX_TEXT = {
  intent: 2000,
  description: 10_000,
  change_summary: 2000,
  /** A user's note about a capability. */
  note: 2000,
  /** The error of a call, in the journal. */
  error: 1000,
  /** The error of a run, in its details. */
  run_error: 5000,
  /** The name of a server's tool, where calls are counted. */
  tool: 400,
  /** A task on an agent's to-do list. */
  task_title: 500,
  task_details: 5000,
  /** A server's problem, wherever it is shown. */
  problem: 500,
} as const;
export type TextField = keyof typeof MAX_TEXT;

// A tag cannot be cut, since the rest would mean something else, so longer ones are refused.
const MAX_TAG = 64;
const MAX_TAGS = 50;

/** The maximum size of stored data, in bytes of JSON. */
export const MAX_JSON = {
  /** The arguments of a capability. */
  parameters_schema: 256 * 1024,
  /** The input schema of a tool; a larger one is not compared. */
  tool_schema: 64 * 1024,
  /** The lists of a server; if they are larger, only its era is remembered. */
  catalog: 8 * 1024 * 1024,
} as const;

/** Prepares a text to be stored and shown: hides secrets, cuts it to its field, removes what PostgreSQL cannot hold. */
export function storedText(field: TextField, text: string, redactor?: Redactor): string {
  const max = MAX_TEXT[field];
  const clean = redactor ? redactor.text(text, max) : hideSecrets(text, max);
  return clean.replaceAll('\0', '').toWellFormed();
}

/** Prepares tags to be stored, each once. Refuses long ones and secrets. */
export function storedTags(tags: readonly string[], redactor?: Redactor): string[] {
  const each = [...new Set(tags)];
  if (each.length > MAX_TAGS) throw refused(`A capability has at most ${MAX_TAGS} tags, not ${each.length}.`);
  for (const tag of each) {
    if (tag.length === 0 || tag.length > MAX_TAG)
      throw refused(`A tag has 1 to ${MAX_TAG} characters, not ${tag.length}.`);
    assertNoSecret('A tag', tag, redactor);
  }
  return each.map((tag) => tag.replaceAll('\0', '').toWellFormed());
}

/** Throws if a name or tag looks like a secret: everyone sees it, and it cannot be hidden in part. */
export function assertNoSecret(what: string, text: string, redactor?: Redactor): void {
  const isKnown = redactor?.containsKnownSecret(text, MIN_KNOWN) || redactor?.containsRunSecret(text);
  if (findSecrets(text).length === 0 && !isKnown) return;
  throw refused(`${what} holds what looks like a secret, and everyone who sees the capability would see it.`);
}

/** A shorter value of the config may be a word that names contain by chance. */
const MIN_KNOWN = 12;

function refused(message: string): PmlError {
  return new PmlError('invalid_arguments', message);
}
