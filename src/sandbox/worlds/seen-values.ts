import { hashText, mixHash } from './hash.ts';

/** The values that one field has shown: a member of a tool's answers, the same in all items of a list. */
export interface SeenField {
  readonly numbers: number[];
  readonly strings: string[];
  /** How often the field held a string: more often than it has strings if they repeat. */
  stringCount: number;
  /** Items of the lists that the field held. */
  readonly items: unknown[];
}

const MAX_SEEN = 40;
const MAX_ITEMS = 12;
const IN_LIST = 7;
const NOTHING: SeenField = { numbers: [], strings: [], stringCount: 0, items: [] };

/** The field of a tool's whole answer. */
export function fieldOfTool(name: string): number {
  return hashText(name, 1);
}

export function fieldOfMember(field: number, key: string): number {
  return mixHash(field, hashText(key, 2));
}

export function fieldOfItems(field: number): number {
  return mixHash(field, IN_LIST);
}

/** Collects what the fields of answers have shown, so that made-up answers can repeat it. */
export class SeenValues {
  readonly #fields = new Map<number, SeenField>();

  at(field: number): SeenField {
    return this.#fields.get(field) ?? NOTHING;
  }

  add(value: unknown, field: number): void {
    if (typeof value === 'number') addTo(this.#make(field).numbers, value);
    else if (typeof value === 'string') this.#addString(value, field);
    else if (Array.isArray(value)) this.#addList(value, field);
    else if (typeof value === 'object' && value !== null) {
      for (const [key, member] of Object.entries(value)) this.add(member, fieldOfMember(field, key));
    }
  }

  #addString(value: string, field: number): void {
    const seen = this.#make(field);
    seen.stringCount += 1;
    addTo(seen.strings, value);
    const inner = parseInner(value);
    if (inner !== undefined) this.add(inner, fieldOfItems(field));
  }

  #addList(list: readonly unknown[], field: number): void {
    const { items } = this.#make(field);
    for (const item of list) {
      if (items.length < MAX_ITEMS) items.push(item);
      this.add(item, fieldOfItems(field));
    }
  }

  #make(field: number): SeenField {
    let seen = this.#fields.get(field);
    if (!seen) {
      seen = { numbers: [], strings: [], stringCount: 0, items: [] };
      this.#fields.set(field, seen);
    }
    return seen;
  }
}

/** The object or list that a string holds as JSON, as tools answer that know only texts. */
export function parseInner(text: string): object | undefined {
  if (!text.startsWith('{') && !text.startsWith('[')) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function addTo<Item>(list: Item[], item: Item): void {
  if (list.length < MAX_SEEN && !list.includes(item)) list.push(item);
}
