/** An argument of the call, as it was in the recorded call and as it is now. */
interface EchoPair {
  readonly key: string;
  readonly from: string | number;
  readonly to: string | number;
}

/** Shorter arguments occur in texts by chance. */
const MIN_PART = 3;
const MAX_DEPTH = 10;
const MAX_PAIRS = 50;

/** Finds the parts of an answer that repeat an argument: `{ path: args.path }` shall hold for other arguments, too. */
export class Echo {
  /** The longest first: one argument may begin with another. */
  readonly #pairs: readonly EchoPair[];

  constructor(recorded: unknown, given: unknown) {
    const pairs: EchoPair[] = [];
    collect(recorded, given, '', pairs, 0);
    this.#pairs = pairs.sort((one, other) => String(other.from).length - String(one.from).length);
  }

  /** The argument that this member of the answer repeats. */
  whole(value: string | number, key: string): string | number | undefined {
    const isEcho = (pair: EchoPair) =>
      pair.from === value && (typeof value === 'string' ? value !== '' : isSameKey(pair.key, key));
    return this.#pairs.find(isEcho)?.to;
  }

  /** Splits a text at an argument that it contains; `vary` changes the parts around it. */
  inside(text: string, vary: (part: string) => string): string | undefined {
    for (const { from, to } of this.#pairs) {
      if (typeof from !== 'string' || from.length < MIN_PART || !text.includes(from)) continue;
      const parts = text.split(from).map((part) => (part === '' ? '' : vary(part)));
      return parts.join(String(to));
    }
    return undefined;
  }
}

function collect(from: unknown, to: unknown, key: string, pairs: EchoPair[], depth: number): void {
  if (pairs.length >= MAX_PAIRS || depth > MAX_DEPTH) return;
  if (typeof from === 'string' && typeof to === 'string') pairs.push({ key, from, to });
  else if (typeof from === 'number' && typeof to === 'number') pairs.push({ key, from, to });
  else if (typeof from === 'object' && from && typeof to === 'object' && to) {
    for (const [name, member] of Object.entries(from)) {
      if (!Object.hasOwn(to, name)) continue;
      const next = Array.isArray(from) ? key : name;
      collect(member, (to as Record<string, unknown>)[name], next, pairs, depth + 1);
    }
  }
}

/** Numbers repeat by chance, so their names must be alike: `issue_number` and `number`. */
function isSameKey(one: string, other: string): boolean {
  if (one === '' || other === '') return false;
  const [a, b] = [one.toLowerCase(), other.toLowerCase()];
  return a.endsWith(b) || b.endsWith(a);
}
