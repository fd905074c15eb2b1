import { createHash } from 'node:crypto';
import { canonicalJson } from '../../src/canonical-json.ts';

/** What the tools answer from: the same world and arguments give the same answer. */
export const WORLDS = ['base', 'other', 'big', 'one', 'empty', 'sparse'] as const;
/** These answer as `base` does, but some calls fail. */
export const FAILING_WORLDS = ['fail1', 'fail2', 'fail3', 'failAll', 'failW1', 'failW2'] as const;
export type World = (typeof WORLDS)[number];
export type AnyWorld = World | (typeof FAILING_WORLDS)[number];
export const ALL_WORLDS: readonly AnyWorld[] = [...WORLDS, ...FAILING_WORLDS];

/** A number that depends on the values alone. */
export function draw(...values: unknown[]): number {
  return createHash('sha256').update(canonicalJson(values)).digest().readUInt32BE(0);
}

export function pick<T>(list: readonly T[], ...values: unknown[]): T {
  return list[draw(...values) % list.length] as T;
}

/** A list as long as the world makes lists. */
export function listOf<T>(world: World, usual: number, item: (at: number) => T): T[] {
  const length = world === 'empty' ? 0 : world === 'big' ? usual * 4 : world === 'one' ? 1 : usual;
  return Array.from({ length }, (_, at) => item(at));
}

export const PEOPLE = ['ana', 'bo', 'cy', 'dee', 'ed', 'flo'];

export function issue(world: World, asked: unknown, at: number): object {
  return {
    number: 100 + (draw(world, asked, at, 'number') % 900),
    title: `Issue ${draw(world, asked, at) % 1000}`,
    user: { login: world === 'sparse' && at === 1 ? 'zed' : pick(PEOPLE, world, asked, at, 'user') },
    labels: Array.from({ length: draw(world, asked, at, 'labels') % 3 }, (_, n) => ({ name: `l${n}` })),
    comments: world === 'sparse' && at % 2 ? null : draw(world, asked, at, 'comments') % 3,
  };
}

export function repository(world: World, asked: unknown, at: number): object {
  const owner = `org${draw(world, asked, at) % 10}`;
  const name = `repo${draw(world, asked, at, 'name') % 50}`;
  const license = { spdx_id: pick(['MIT', 'Apache-2.0', 'BSD-3-Clause'], world, asked, at, 'license') };
  return {
    full_name: `${owner}/${name}`,
    owner: { login: owner },
    name,
    stargazers_count: draw(world, asked, at, 'stars') % 3000,
    license: world === 'sparse' && at % 2 ? null : license,
  };
}

/** The text of a file, of the kind that its ending names. */
export function fileText(world: World, path: string): string {
  if (path.endsWith('.json'))
    return JSON.stringify({
      name: `n${draw(world, path) % 99}`,
      timeoutMs: draw(path) % 5000,
      nested: [1, 2],
    });
  if (path.endsWith('.log')) return logText(world, path);
  if (path.endsWith('.csv')) {
    const segment = (at: number) => pick(['gold', 'silver', 'bronze'], world, path, at, 'segment');
    const line = (at: number) => `${pick(PEOPLE, world, path, at)}${at}, p${at}@x.com,${segment(at)}`;
    return ['name,email,segment', ...listOf(world, 9, line)].join('\n');
  }
  const marks = ['TODO fix', 'FIXME now', 'HACK it', 'fine TODO'];
  return listOf(world, 6, (at) => pick(marks, world, path, at)).join('\n');
}

function logText(world: World, path: string): string {
  const line = (at: number) => {
    const level = pick(['ERROR', 'WARN', 'INFO'], world, path, at);
    return `2026-01-${10 + (at % 9)} ${level} [E${100 + (draw(world, path, at, 'code') % 4)}] msg ${at}`;
  };
  return [...listOf(world, 30, line), ...(world === 'sparse' ? ['garbage', ''] : [])].join('\n');
}

/** The entries of a folder. Folders are at most three deep, so that every walk ends. */
export function entries(world: World, path: string): object[] {
  const depth = path.split('/').filter((part) => part !== '').length;
  return listOf(world, 3, (at) => {
    const isFolder = at === 0 && depth < 3;
    const ending = pick(['.ts', '.md', '.json'], world, path, at);
    return isFolder
      ? { name: `d${draw(world, path) % 10}`, type: 'dir' }
      : { name: `f${at}${ending}`, type: 'file' };
  });
}

export function event(world: World, asked: { time_min: string }, at: number): object {
  const half = 1_800_000;
  const start = Date.parse(asked.time_min) + (draw(world, asked, at) % 48) * half;
  const end = start + (1 + (draw(world, asked, at, 'length') % 5)) * half;
  const time = (ms: number) => ({ dateTime: new Date(ms).toISOString() });
  return { id: `e${at}`, summary: `s${at}`, start: time(start), end: time(end) };
}

export function ticket(world: World, asked: unknown, at: number): object {
  const of = (list: readonly string[], what: string) => pick(list, world, asked, at, what);
  return {
    id: `T${draw(world, asked, at) % 1000}`,
    status: of(['open', 'closed', 'waiting'], 'status'),
    priority: of(['low', 'normal', 'high'], 'priority'),
    assignee: world === 'sparse' && at % 2 ? 'nobody' : of(PEOPLE, 'assignee'),
  };
}
