/** Deterministic draws. A key stands for a place in an answer, a salt for the question that is asked there. */

/** The hash of a text, 32 bits without sign. */
export function hashText(text: string, start = 0): number {
  let hash = 0x811c9dc5 ^ start;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return scramble(hash);
}

export function mixHash(one: number, other: number): number {
  return scramble(Math.imul(one, 0x85ebca6b) ^ (other + 0x9e3779b9));
}

/** A number from 0 to below `count`. */
export function drawBelow(key: number, salt: number, count: number): number {
  return mixHash(key, salt) % count;
}

export function drawFrom<Item>(list: readonly Item[], key: number, salt: number): Item {
  return list[drawBelow(key, salt, list.length)] as Item;
}

export function isDrawn(key: number, salt: number, percent: number): boolean {
  return percent > 0 && drawBelow(key, salt, 100) < percent;
}

/** The last step of MurmurHash3: every bit of the input changes half of the output's. */
function scramble(hash: number): number {
  let mixed = hash ^ (hash >>> 16);
  mixed = Math.imul(mixed, 0x85ebca6b);
  mixed ^= mixed >>> 13;
  mixed = Math.imul(mixed, 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
