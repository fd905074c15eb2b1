import { createHash } from 'node:crypto';
import { PmlError } from '../../errors.ts';
import { assertNoSecret } from '../../stored-texts.ts';

const NAME = /^[A-Za-z0-9_:-]{1,64}$/;
const MAX_LISTED = 54;
const MAX_SHOWN = 1000;

/** Names of PML's own tools, of server records (`mcp:`) and of listed tools (`mcp__`). */
const RESERVED =
  /^(mcp(:|__).*|pml[:_](execute|discover)|cap[:_](lookup|list|whois|rename|update|history|curate|verify|fork|merge|retire|restore|stats|feedback))$/;

export function assertValidName(name: string): void {
  if (!NAME.test(name) || splitName(name, 'util').action === '') {
    throw new PmlError(
      'invalid_name',
      `Invalid capability name: "${shortenName(name)}". Must be alphanumeric with underscores, hyphens, and colons only.`,
    );
  }
  assertNoSecret('The name', name);
  if (RESERVED.test(name)) {
    throw new PmlError('name_taken', `"${name}" is reserved for PML's own tools and servers.`, {
      hint: 'Choose another name.',
    });
  }
}

/** Bounds a name for an error message. */
export function shortenName(name: string): string {
  return name.length > MAX_SHOWN ? `${name.slice(0, MAX_SHOWN)}…` : name;
}

/** Splits a display name into namespace and action; without a colon, the namespace is the fallback. */
export function splitName(name: string, fallback: string): { namespace: string; action: string } {
  const colon = name.indexOf(':');
  if (colon <= 0) return { namespace: fallback, action: plain(name) };
  return { namespace: name.slice(0, colon), action: plain(name.slice(colon + 1)) };
}

/** The name in tools/list. It ends in a hash of the whole name if it is too long, or if `hashLength` asks for one. */
export function listedName(name: string, fallback: string, hashLength = 0): string {
  const { namespace, action } = splitName(name, fallback);
  const full = `mcp__${namespace}__${action}`;
  const digits = hashLength || (full.length > MAX_LISTED ? 6 : 0);
  if (digits === 0) return full;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, digits);
  return `${full.slice(0, MAX_LISTED - 1 - digits)}_${hash}`;
}

const PREFIX = 'mcp__';

/** How a tool that has this listed name is spelt in lists: `mcp` as it is, `short` without `mcp__`. */
export function toolName(listed: string, style: 'mcp' | 'short'): string {
  return style === 'short' && listed.startsWith(PREFIX) ? listed.slice(PREFIX.length) : listed;
}

/** The listed name that a short spelling stands for: `mcp__pkg__version` for `pkg__version`; undefined if it is none. */
export function fromShort(name: string): string | undefined {
  return name.includes('__') && !name.startsWith(PREFIX) ? `${PREFIX}${name}` : undefined;
}

/**
 * Folds a name to letters and digits, for names that match no spelling exactly. Stored with each name, so it must not
 * change; `foldName` in code/ keeps the colon, and `foldToolName` in access/ also folds a leading `mcp`.
 */
export function looseName(name: string): string {
  return name.replace(/[^A-Za-z0-9]/g, '').toLowerCase();
}

/** An action is one part of an FQDN and of a listed name, neither of which can hold a colon. */
function plain(text: string): string {
  return text.replaceAll(':', '_');
}
