import { createHash } from 'node:crypto';
import { PmlError } from '../../errors.ts';
import { assertNoSecret } from '../../texts.ts';

const NAME = /^[A-Za-z0-9_:-]{1,64}$/;
const MAX_LISTED = 54;
const MAX_SHOWN = 1000;

/** Names by which PML's own tools and the records of servers are called, and those that only a list gives. */
const RESERVED =
  /^(mcp(:|__).*|pml[:_](execute|discover)|cap[:_](lookup|list|whois|rename|update|history|curate|verify|fork|merge|retire|restore|stats))$/;

export function assertValidName(name: string): void {
  if (!NAME.test(name) || splitName(name, 'util').action === '') {
    throw new PmlError(
      'invalid_name',
      `Invalid capability name: "${shown(name)}". Must be alphanumeric with underscores, hyphens, and colons only.`,
    );
  }
  assertNoSecret('The name', name);
  if (RESERVED.test(name)) {
    throw new PmlError('name_taken', `"${name}" is reserved: it would stand before a name of PML's own.`, {
      hint: 'Choose another name.',
    });
  }
}

/** A name as an error repeats it: whole, unless somebody sent a book. */
export function shown(name: string): string {
  return name.length > MAX_SHOWN ? `${name.slice(0, MAX_SHOWN)}…` : name;
}

/** Namespace and action of a display name; a name without a colon has the namespace its tools suggest. */
export function splitName(name: string, fallback: string): { namespace: string; action: string } {
  const colon = name.indexOf(':');
  if (colon <= 0) return { namespace: fallback, action: plain(name) };
  return { namespace: name.slice(0, colon), action: plain(name.slice(colon + 1)) };
}

/** The name in tools/list. A longer one ends in a hash of the whole, and so does one that clashes. */
export function listedName(name: string, fallback: string, hashLength = 0): string {
  const { namespace, action } = splitName(name, fallback);
  const full = `mcp__${namespace}__${action}`;
  const digits = hashLength || (full.length > MAX_LISTED ? 6 : 0);
  if (digits === 0) return full;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, digits);
  return `${full.slice(0, MAX_LISTED - 1 - digits)}_${hash}`;
}

/**
 * Folds a name to letters and digits, for names that match no spelling exactly. Stored with each name, so it must not
 * change; `foldName` in code/ keeps the colon, and `foldToolName` in access/ also folds a leading `mcp`.
 */
export function looseName(name: string): string {
  return name.replace(/[^A-Za-z0-9]/g, '').toLowerCase();
}

/** An action is one part of an FQDN and of a listed name, where a colon cannot stand. */
function plain(text: string): string {
  return text.replaceAll(':', '_');
}
