import { PmlError } from './errors.ts';
import { findSecrets, hideSecrets, type Redactor } from './secrets/index.ts';

/** How many characters of each text are stored. A longer one is prose, and is cut. */
export const MAX_TEXT = {
  intent: 2000,
  description: 10_000,
  change_summary: 2000,
  /** Of a call, in the journal. */
  error: 1000,
  /** The name of a server's tool, where calls are counted. */
  tool: 400,
  /** What a server says of its state, wherever it is shown. */
  problem: 500,
} as const;
export type TextField = keyof typeof MAX_TEXT;

/** What must not be cut, since the rest would mean something else, is refused. */
const MAX_TAG = 64;
const MAX_TAGS = 50;

/** How large data may be as JSON. */
export const MAX_JSON = {
  /** What a capability takes. */
  parameters_schema: 256 * 1024,
  /** What a tool demands; a larger one is not judged. */
  tool_schema: 64 * 1024,
  /** What a server offers; of a larger catalogue only the era is remembered. */
  catalog: 8 * 1024 * 1024,
} as const;

/** A text as it is stored and shown: without secrets, no longer than its field, and nothing that PostgreSQL cannot hold. */
export function storedText(field: TextField, text: string, redactor?: Redactor): string {
  const max = MAX_TEXT[field];
  const clean = redactor ? redactor.text(text, max) : hideSecrets(text, max);
  return clean.replaceAll('\0', '').toWellFormed();
}

/** Tags as they are stored, each once. */
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

/** Names and tags are shown to everyone and cannot be hidden in part. */
export function assertNoSecret(what: string, text: string, redactor?: Redactor): void {
  if (findSecrets(text).length === 0 && !redactor?.containsKnownSecret(text, SHORTEST_KNOWN)) return;
  throw refused(`${what} holds what looks like a secret, and everyone who sees the capability would see it.`);
}

/** Shorter values of the configuration are words that names may well hold. */
const SHORTEST_KNOWN = 12;

function refused(message: string): PmlError {
  return new PmlError('invalid_arguments', message);
}
