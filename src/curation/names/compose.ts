import { createHash } from 'node:crypto';
import { assertValidName } from '../../registry/names/index.ts';
import type { NamingStyle } from './nameable.ts';
import type { Phrase } from './phrase.ts';

/** With its namespace, a longer action would be cut in lists of tools. */
const MAX_ACTION = 36;
const MAX_WORDS = 6;

/** Writes a phrase as an action, cut between words. */
export function composeAction({ verb, target }: Phrase, { separator }: NamingStyle): string {
  const words = [...(verb ? [verb] : []), ...target]
    .flatMap((word) => word.split('-'))
    .filter((word, at, all) => word !== '' && word !== all[at - 1])
    .slice(0, MAX_WORDS);
  while (words.length > 1 && words.join(separator).length > MAX_ACTION) words.pop();
  return words.join(separator).slice(0, MAX_ACTION);
}

export function isValidName(name: string): boolean {
  try {
    assertValidName(name);
    return true;
  } catch {
    return false;
  }
}

/** Makes a name for code that nothing describes. The hash is of the code, so that the same code gets the same name. */
export function namelessAction(code: string, { separator }: NamingStyle, length: number): string {
  const hash = createHash('sha256').update(code).digest('hex').slice(0, length);
  return `procedure${separator}${hash}`;
}
