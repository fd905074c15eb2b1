import { createHash } from 'node:crypto';

const MAX_NAME = 64;
/** Words that skill clients reserve. */
const RESERVED = /anthropic|claude/g;

/** Makes the name of a skill: lower case, digits and single hyphens, as long as the format allows, and not yet taken. */
export function skillName(name: string, taken: ReadonlySet<string>): string {
  const plain = name
    .toLowerCase()
    .replace(RESERVED, 'x')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  const short = plain.slice(0, MAX_NAME).replace(/-$/, '');
  if (short === plain && plain !== '' && !taken.has(plain)) return plain;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 8);
  return `${(plain || 'capability').slice(0, MAX_NAME - 9).replace(/-$/, '')}-${hash}`;
}
