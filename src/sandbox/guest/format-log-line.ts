import {
  eachInMap,
  eachInSet,
  getOwnPropertyDescriptor,
  isArray,
  isView,
  keys,
  slice,
  stringify,
} from './intrinsics.ts';

/** Limits of one log line: more helps nobody, and a hostile value could make it endless. */
const MAX_SHOWN_DEPTH = 4;
const MAX_SHOWN_MEMBERS = 100;
const MAX_SHOWN_TEXT = 10_000;
const MAX_LINE_LENGTH = 100_000;

/** Formats the arguments of `console.log`: strings as they are, other values much as Node prints them. */
export function formatLine(values: unknown[]): string {
  let line = '';
  for (let i = 0; i < values.length && line.length < MAX_LINE_LENGTH; i++) {
    const value = values[i];
    line += (i === 0 ? '' : ' ') + (typeof value === 'string' ? value : inspect(value, 0, null));
  }
  return line.length > MAX_LINE_LENGTH ? `${slice(line, 0, MAX_LINE_LENGTH)}…` : line;
}

interface Seen {
  value: object;
  above: Seen | null;
}

/** Prints any value without calling a getter. */
function inspect(value: unknown, depth: number, above: Seen | null): string {
  if (typeof value === 'string') return stringify(clip(value));
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'symbol') return `Symbol(${clip(`${value.description ?? ''}`)})`;
  if (typeof value === 'function') return `[Function${nameIn(value)}]`;
  if (typeof value !== 'object' || value === null) return `${value}`;
  for (let at = above; at; at = at.above) if (at.value === value) return '[Circular]';
  if (value instanceof Error) return clip(`${value.stack ?? value}`);
  if (value instanceof Date)
    return stringify(value) === 'null' ? 'Invalid Date' : slice(stringify(value), 1, -1);
  if (value instanceof RegExp) return `${value}`;
  if (value instanceof Promise) return 'Promise {}';
  if (depth > MAX_SHOWN_DEPTH) return isArray(value) ? '[Array]' : '[Object]';
  return inspectMembers(value, depth, { value, above });
}

function inspectMembers(value: object, depth: number, seen: Seen): string {
  const members = collector();
  const show = (member: unknown) => inspect(member, depth + 1, seen);
  if (isArray(value) || (isView(value) && !(value instanceof DataView))) {
    const list = value as unknown as ArrayLike<unknown>;
    for (let i = 0; i < list.length && members.hasRoom(); i++) members.add(show(list[i]));
    return members.text('[', ']', list.length);
  }
  if (value instanceof Map) {
    eachInMap(value, (member, key) => members.hasRoom() && members.add(`${show(key)} => ${show(member)}`));
    return members.text('Map {', '}', members.offered());
  }
  if (value instanceof Set) {
    eachInSet(value, (member) => members.hasRoom() && members.add(show(member)));
    return members.text('Set {', '}', members.offered());
  }
  const names = keys(value);
  for (let i = 0; i < names.length && members.hasRoom(); i++) {
    const name = names[i] as string;
    const own = getOwnPropertyDescriptor(value, name);
    members.add(`${name}: ${own && 'value' in own ? show(own.value) : '[Getter]'}`);
  }
  return members.text('{', '}', names.length);
}

/** Joins members up to the limits of a line, and says how many it left out. */
function collector() {
  let text = '';
  let count = 0;
  let offered = 0;
  return {
    hasRoom: () => {
      offered += 1;
      return count < MAX_SHOWN_MEMBERS && text.length < MAX_LINE_LENGTH;
    },
    add: (member: string) => {
      text += (count === 0 ? '' : ', ') + member;
      count += 1;
    },
    offered: () => offered,
    text: (open: string, close: string, size: number) => {
      if (size > count) text += `${count === 0 ? '' : ', '}… ${size - count} more`;
      const gap = open[open.length - 1] === '{' && text !== '' ? ' ' : '';
      return `${open}${gap}${text}${gap}${close}`;
    },
  };
}

function nameIn(value: object): string {
  const own = getOwnPropertyDescriptor(value, 'name');
  return own && typeof own.value === 'string' && own.value !== '' ? ` ${clip(own.value)}` : '';
}

function clip(text: string): string {
  return text.length > MAX_SHOWN_TEXT ? `${slice(text, 0, MAX_SHOWN_TEXT)}…` : text;
}
