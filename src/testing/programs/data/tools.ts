import type { JsonSchema } from '../../../code/testing.ts';
import { hash32 } from '../choices.ts';
import type { Answer } from '../run-program.ts';

interface Tool {
  readonly isRead: boolean;
  readonly inputSchema: JsonSchema;
  readonly answer: (draw: Draw, args: Record<string, unknown>) => unknown;
}

/** Draws that depend on the world, the call and the place alone. */
type Draw = (place: string, count: number) => number;

const TEXT = { type: 'string' };
const NUMBER = { type: 'number' };
const schema = (required: Record<string, object>, optional: Record<string, object> = {}): JsonSchema =>
  ({
    type: 'object',
    properties: { ...required, ...optional },
    required: Object.keys(required),
  }) as JsonSchema;

const NAMES = ['ana', 'bo', 'cy', 'web', 'rocket', 'api'];
const STATES = ['open', 'closed', 'waiting', 'active'];

/** What programs compare with should come up, on both sides of each comparison. */
const AMOUNTS = [0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 25, 25.5, 26, 40, 250, 399, 400, 401, 950, -3];

function item(draw: Draw, at: string): object {
  return {
    id: `i${draw(`${at}id`, 40)}`,
    name: NAMES[draw(`${at}name`, NAMES.length)],
    state: STATES[draw(`${at}state`, STATES.length)],
    total: AMOUNTS[draw(`${at}total`, AMOUNTS.length)],
    path: PATHS[draw(`${at}path`, PATHS.length)],
    ...(draw(`${at}tags`, 4) === 0 ? {} : { tags: NAMES.slice(0, draw(`${at}count`, 3)) }),
    note: draw(`${at}note`, 3) === 0 ? null : `n${draw(`${at}text`, 9)}`,
  };
}

const PATHS = [
  '/data/reports/q1.csv',
  '/data/reports',
  'secret/keep.txt',
  'src/pages/a.md',
  '/srv/out/b.md',
  'web/items/x',
  'x.md',
];

function items(draw: Draw): object[] {
  return Array.from({ length: [4, 3, 0, 1, 7, 2][draw('length', 6)] as number }, (_, at) =>
    item(draw, `${at} `),
  );
}

function entries(draw: Draw, path: string): object[] {
  const isDeep = path.split('/').length > 5;
  return Array.from({ length: draw('entries', 4) }, (_, at) => {
    const isFolder = !isDeep && draw(`${at}kind`, 3) === 0;
    const ending = ['.md', '.ts', '.csv'][draw(`${at}end`, 3)];
    return isFolder ? { name: `d${at}`, type: 'dir' } : { name: `f${at}${ending}`, type: 'file' };
  });
}

export const TOOLS: Readonly<Record<string, Tool>> = {
  'api:list': {
    isRead: true,
    inputSchema: schema({ project: TEXT }, { state: TEXT, limit: NUMBER, dry_run: { type: 'boolean' } }),
    answer: (draw) => ({ items: items(draw), total: draw('all', 30) }),
  },
  'api:get': {
    isRead: true,
    inputSchema: schema({ id: TEXT }),
    answer: (draw, { id }) => ({ ...item(draw, ''), id }),
  },
  'api:page': {
    isRead: true,
    inputSchema: schema({ query: TEXT }, { page: NUMBER, cursor: TEXT }),
    answer: (draw, { page, cursor }) => {
      const at = Number(cursor ?? page ?? 0);
      return { items: items(draw), next: at < 3 && draw('more', 2) === 0 ? at + 1 : null };
    },
  },
  'fs:list': {
    isRead: true,
    inputSchema: schema({ path: TEXT }),
    answer: (draw, { path }) => ({ entries: entries(draw, String(path)) }),
  },
  'fs:read': {
    isRead: true,
    inputSchema: schema({ path: TEXT }),
    answer: (draw) => ({
      text: Array.from(
        { length: draw('lines', 5) },
        (_, at) => `${NAMES[draw(`${at}`, 6)]} ${draw(`${at}n`, 12)}`,
      ).join('\n'),
    }),
  },
  'web:fetch': {
    isRead: true,
    inputSchema: schema({ url: TEXT }),
    answer: (draw) => ({ version: `v${draw('v', 9)}`, build: draw('b', 99), region: NAMES[draw('r', 6)] }),
  },
  'api:del': { isRead: false, inputSchema: schema({ path: TEXT }), answer: () => ({ ok: true }) },
  'api:tag': {
    isRead: false,
    inputSchema: schema({ id: TEXT, tags: { type: 'array', items: TEXT } }),
    answer: () => ({ ok: true }),
  },
  'bank:transfer': {
    isRead: false,
    inputSchema: schema({ from: TEXT, to: TEXT, amount: NUMBER }),
    answer: (draw) => ({ id: `t${draw('t', 99)}`, status: STATES[draw('s', 4)] }),
  },
  'chat:post': {
    isRead: false,
    inputSchema: schema({ channel: TEXT, text: TEXT }),
    answer: (draw) => ({ ts: String(draw('ts', 999)) }),
  },
  'fs:move': {
    isRead: false,
    inputSchema: schema({ source: TEXT, target: TEXT }),
    answer: () => ({ ok: true }),
  },
  'fs:write': {
    isRead: false,
    inputSchema: schema({ path: TEXT, content: TEXT }),
    answer: (draw) => ({ bytes: draw('b', 99) }),
  },
};

export const isRead = (name: string): boolean => TOOLS[name]?.isRead === true;

/** Answers of one world: 0 is the plain one, in which nothing fails. In every fourth of the others some calls do. */
export function answersOf(
  world: number,
): (call: { name: string; args: unknown; occurrence: number }) => Answer {
  return ({ name, args, occurrence }) => {
    const tool = TOOLS[name];
    if (!tool) return { error: `no tool ${name}` };
    const id = `${world} ${name} ${JSON.stringify(args)} ${occurrence}`;
    if (world > 0 && world % 4 === 0 && hash32(`${id} fails`) % 3 === 0) return { error: `failed ${name}` };
    const draw: Draw = (place, count) => hash32(`${id} ${place}`) % count;

    return { value: tool.answer(draw, (args ?? {}) as Record<string, unknown>) };
  };
}
