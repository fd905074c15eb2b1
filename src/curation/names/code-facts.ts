const MAX_CODE = 20_000;
const MAX_KEYS = 20;

/** Facts for names and descriptions, read from code without running or parsing it. */
export interface CodeFacts {
  /** The keys of the object that is returned last. */
  readonly returned: readonly string[];
  /** Under which key each argument is passed on: `{ path: args.file }` is `file` → `path`. */
  readonly passedAs: ReadonlyMap<string, string>;
}

export function codeFacts(code: string): CodeFacts {
  const text = code.slice(0, MAX_CODE);
  return { returned: returnedKeys(text), passedAs: passedKeys(text) };
}

function returnedKeys(text: string): string[] {
  const at = Math.max(text.lastIndexOf('return {'), text.lastIndexOf('return({'));
  if (at === -1) return [];
  const keys: string[] = [];
  let [depth, isAtKey] = [0, false];
  // Only the keys of the object itself: braces and brackets within it are skipped.
  for (const [token] of text.slice(at + 'return'.length).matchAll(/[{}[\](),]|[\w$]{1,60}/g)) {
    if (token === '{' || token === '[' || token === '(') depth += token === '(' && depth === 0 ? 0 : 1;
    else if (token === '}' || token === ']' || token === ')') depth -= 1;
    else if (depth === 1 && isAtKey && /^[A-Za-z_$]/.test(token)) keys.push(token);
    isAtKey = token === '{' || token === ',';
    if (depth <= 0 && token !== '(') break;
    if (keys.length >= MAX_KEYS) break;
  }
  return [...new Set(keys)];
}

function passedKeys(text: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const [, key, argument] of text.matchAll(
    /\b([A-Za-z_]\w{0,60})\s{0,9}:\s{0,9}args\.([A-Za-z_]\w{0,60})/g,
  ))
    if (!found.has(argument as string)) found.set(argument as string, key as string);
  return found;
}
