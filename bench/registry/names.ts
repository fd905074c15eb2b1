import type { Principal } from '../../src/principal.ts';
import { find, NameCache } from '../../src/registry/index.ts';
import { inTurns, median, percentile } from '../support/stats.ts';
import { aliasOf, dayOfSecond, fqdnOf, hasAlias, hasVersions, isNamed, nameOf, ownerOf } from './shape.ts';
import type { Opened } from './stores.ts';

export interface NameRow {
  size: number;
  spelling: string;
  p50: number;
  p95: number;
  /** Compared with a bare prepared SELECT of a record by its primary key. */
  ratio: { p50: number; p95: number };
}

interface Spelling {
  spelling: string;
  /** The nth of the capabilities that have this spelling. */
  fits(n: number): boolean;
  of(n: number): string;
  by(n: number): Principal;
}

/** A user of the same organisation and another project. */
function neighbour(n: number): Principal {
  return { ...ownerOf(n), project: 'elsewhere' };
}

const any = () => true;
const SPELLINGS: Spelling[] = [
  { spelling: 'name', fits: isNamed, of: nameOf, by: ownerOf },
  { spelling: 'listed name', fits: isNamed, of: (n) => `mcp__${nameOf(n).replace(':', '__')}`, by: ownerOf },
  { spelling: 'alias', fits: hasAlias, of: aliasOf, by: ownerOf },
  { spelling: 'name@date', fits: hasVersions, of: (n) => `${nameOf(n)}@${dayOfSecond(n)}`, by: ownerOf },
  { spelling: 'name@v1', fits: hasVersions, of: (n) => `${nameOf(n)}@v1`, by: ownerOf },
  { spelling: 'name@v1.1.0', fits: hasVersions, of: (n) => `${nameOf(n)}@v1.1.0`, by: ownerOf },
  { spelling: 'org.project:name', fits: any, of: crossScope, by: neighbour },
  { spelling: 'FQDN', fits: any, of: fqdnOf, by: ownerOf },
];

function crossScope(n: number): string {
  const { org, project } = ownerOf(n);
  return `${org}.${project}:${nameOf(n)}`;
}

/** Times first lookups of names, in turns with the bare SELECT. */
export async function measureCold({ db, bare }: Opened, size: number, rounds: number): Promise<NameRow[]> {
  const numbers = randomNumbers(size);
  const select = () => timed(() => bare.select(fqdnOf(numbers(any))));
  const lookups = SPELLINGS.map(({ fits, of, by }) => () => {
    const n = numbers(fits);
    return timed(async () => {
      const found = await find(db, by(n), of(n));
      if (found?.fqdn !== fqdnOf(n)) throw new Error(`${of(n)} was not found`);
    });
  });
  // The first rounds prepare statements and fill the database's caches.
  await inTurns(50, [select, ...lookups]);
  const [base = [], ...others] = await inTurns(rounds, [select, ...lookups]);
  return [
    row(size, 'bare SELECT', base, base),
    ...SPELLINGS.map(({ spelling }, index) => row(size, spelling, others[index] ?? [], base)),
  ];
}

/** How many names are looked up repeatedly. */
const WARM_NAMES = 1000;

/** Times repeated lookups through the name cache, as callers of capabilities make them. */
export async function measureWarm({ db, bare }: Opened, size: number, rounds: number): Promise<NameRow[]> {
  const names = await NameCache.open(db);
  const numbers = randomNumbers(size);
  const base: number[] = [];
  for (let round = 0; round < 500; round++) base.push(await timed(() => bare.select(fqdnOf(numbers(any)))));
  const rows: NameRow[] = [];
  for (const { spelling, fits, of, by } of SPELLINGS) {
    const asked = Array.from({ length: WARM_NAMES }, () => numbers(fits)).map((n) => [by(n), of(n)] as const);
    for (const [who, name] of asked) await names.find(who, name);
    const times: number[] = [];
    for (let round = 0; round < rounds; round++)
      for (const [who, name] of asked) times.push(await timed(() => names.find(who, name)));
    rows.push(row(size, spelling, times, base));
  }
  return rows;
}

function row(size: number, spelling: string, times: number[], base: number[]): NameRow {
  const [p50, p95] = [median(times) * 1000, percentile(times, 0.95) * 1000];
  const ratio = { p50: p50 / (median(base) * 1000), p95: p95 / (percentile(base, 0.95) * 1000) };
  return { size, spelling, p50, p95, ratio };
}

/** Yields numbers in a random order that is the same in every run. */
export function randomNumbers(size: number): (fits: (n: number) => boolean) => number {
  let state = 12_345;
  return (fits) => {
    for (;;) {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      const n = Math.floor((state / 2 ** 32) * size);
      if (fits(n)) return n;
    }
  };
}

export async function timed(act: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await act();
  return performance.now() - started;
}
