import { remember, rename, update } from '../../src/registry/index.ts';
import { inTurns, median } from '../support/stats.ts';
import { randomNumbers, timed } from './names.ts';
import { fqdnOf, isNamed, nameOf, ownerOf } from './shape.ts';
import type { Opened } from './stores.ts';

export interface WriteRow {
  size: number;
  act: string;
  perSecond: number;
  /** How many times longer it takes than a transaction of one row. */
  ratio: number;
}

let count = 0;

/** Times acts that write, in turns with a transaction of one row. */
export async function measureWrites(
  { db, keys, bare }: Opened,
  size: number,
  rounds: number,
): Promise<WriteRow[]> {
  const registry = { db, keys };
  const numbers = randomNumbers(size);
  const some = () => numbers(isNamed);
  const code = () => {
    count += 1;
    const id = `${process.pid.toString(16)}${count.toString(16).padStart(8, '0')}`;
    const codeHash = id.split('').reverse().join('').padEnd(64, '0');
    const parametersSchema = {
      type: 'object',
      properties: { path: { type: 'string', default: `a${count}` } },
    };
    return { code: `return ${id} + args.path;`, codeHash, parametersSchema, toolsUsed: ['fs:read_file'] };
  };
  const acts: [act: string, () => Promise<unknown>][] = [
    ['bare transaction', () => bare.insert()],
    [
      'rename',
      () =>
        again((n) => rename(registry, ownerOf(n), fqdnOf(n), { newName: `moved:to_${n}_${++count}` }), some),
    ],
    [
      'describe',
      () => again((n) => rename(registry, ownerOf(n), nameOf(n), { description: `now ${++count}` }), some),
    ],
    [
      'update',
      () => again((n) => update(registry, ownerOf(n), fqdnOf(n), { ...code(), routing: 'local' }), some),
    ],
    ['create', () => remember(registry, ownerOf(some()), { ...code(), namespace: 'made', intent: 'made' })],
    [
      'create named',
      () =>
        remember(registry, ownerOf(some()), {
          ...code(),
          namespace: 'made',
          intent: 'made',
          name: `made:x_${++count}`,
        }),
    ],
  ];
  const timers = acts.map(
    ([, act]) =>
      () =>
        timed(act),
  );
  await inTurns(20, timers);
  const times = await inTurns(rounds, timers);
  const base = median(times[0] ?? []);
  return acts.map(([act], index) => {
    const ms = median(times[index] ?? []);
    return { size, act, perSecond: 1000 / ms, ratio: ms / base };
  });
}

function again(act: (n: number) => Promise<unknown>, some: () => number): Promise<unknown> {
  return act(some());
}
