import { type Filter, listNamed, query } from '../../src/registry/index.ts';
import { median } from '../support/stats.ts';
import { timed } from './names.ts';
import { ownerOf } from './shape.ts';
import type { Opened } from './stores.ts';

export interface ListRow {
  size: number;
  list: string;
  ms: number;
  total: number | undefined;
}

const FILTERS: [list: string, filter: Filter][] = [
  ['cap_list', {}],
  ['by name', { sort_by: 'name' }],
  ['by creation', { sort_by: 'created' }],
  ['named only, by name, from the 500th', { sort_by: 'name', named_only: true, offset: 500 }],
  ['pattern ns7:*', { pattern: 'ns7:*' }],
  ['pattern *_777*', { pattern: '*_777*' }],
  ['namespace ns7', { namespace: 'ns7' }],
  ['two tags', { tags: ['tag7', 'kind0'] }],
  ['created by user0_3', { created_by: 'user0_3' }],
  ['public', { visibility: 'public' }],
];

/** Times pages as a user of one of the twenty scopes asks for them. */
export async function measureLists({ db }: Opened, size: number, rounds: number): Promise<ListRow[]> {
  const who = ownerOf(0);
  const rows: ListRow[] = [];
  for (const [list, filter] of FILTERS) {
    const times: number[] = [];
    let total = 0;
    for (let round = 0; round <= rounds; round++) {
      times.push(await timed(async () => ({ total } = await query(db, who, filter))));
    }
    rows.push({ size, list, ms: median(times.slice(1)), total });
  }
  for (const [list, after] of [
    ['tools/list, first page', ''],
    ['tools/list, a later page', 'mcp__ns2'],
  ] as const) {
    const times: number[] = [];
    for (let round = 0; round <= rounds; round++)
      times.push(await timed(() => listNamed(db, who, after, 1000)));
    rows.push({ size, list, ms: median(times.slice(1)), total: undefined });
  }
  return rows;
}
