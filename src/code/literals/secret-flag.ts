import { namesSecret } from '../../secrets/index.ts';
import { type Node, stringValue } from '../syntax/ast.ts';

/** Returns the key that a secret flag gives to the item after it: `password` in `["--password", "x"]`. */
export function secretFlag(before: Node | null | undefined): string | undefined {
  const text = before ? stringValue(before) : undefined;
  return text?.startsWith('--') && !text.includes('=') && namesSecret(text) ? text.slice(2) : undefined;
}
