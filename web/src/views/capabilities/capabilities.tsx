import { useState } from 'preact/hooks';
import { useLive } from '../../api/live-events.ts';
import type { CapabilityItem } from '../../api/types.ts';
import { usePages } from '../../api/use-pages.ts';
import { useThrottled } from '../../api/use-throttled.ts';
import { PageFrame } from '../../components/page.tsx';
import { Empty, Problem, Skeleton } from '../../components/states.tsx';
import { VirtualTable } from '../../components/virtual-table.tsx';
import { place, setQuery, to } from '../../router/router.ts';
import { count } from '../../text/format.ts';
import { BatchBar } from './batch-bar.tsx';
import { COLUMNS, ColumnChoice, useColumns } from './columns.tsx';
import { Filters, filterOf } from './filters.tsx';

/** Changes that come together are read once. */
const SETTLE_MS = 400;

/** One table of all capabilities. */
export function Capabilities() {
  const filter = filterOf(place.value.query);
  const { q, sort, order, ...counted } = filter;
  const pages = usePages<CapabilityItem>('/capabilities', filter, {
    countAt: { path: '/capabilities/count', params: counted },
  });
  const columns = useColumns();
  const selection = useSelection(pages.items);
  useLive(['capability'], useThrottled(pages.reload, SETTLE_MS));
  const chosen = pages.items.filter(({ id }) => selection.keys.has(id));
  return (
    <PageFrame
      title="Capabilities"
      layout="fill"
      beside={pages.total !== undefined && <span class="muted">{count(pages.total)}</span>}
      acts={<ColumnChoice columns={columns} />}
    >
      {chosen.length > 0 ? (
        <BatchBar rows={chosen} onDone={pages.reload} onClear={selection.clear} />
      ) : (
        <Filters filter={filter} rows={pages.items} />
      )}
      {pages.error && <Problem error={pages.error} retry={pages.reload} />}
      {pages.loading && <Skeleton lines={12} />}
      {!pages.loading && !pages.error && pages.items.length === 0 && (
        <Nothing isFiltered={hasFilter(filter)} />
      )}
      {pages.items.length > 0 && (
        <VirtualTable
          label="Capabilities"
          columns={COLUMNS.filter(({ key }) => columns.shown.has(key))}
          rows={pages.items}
          total={pages.total}
          keyOf={({ id }) => id}
          hrefOf={({ id }) => to('capabilities', id)}
          hasMore={pages.hasMore}
          onMore={pages.loadMore}
          sort={
            filter.q
              ? undefined
              : { by: filter.sort ?? 'usage', order: filter.order ?? defaultOrder(filter.sort) }
          }
          onSort={(by) => sortBy(by, filter)}
          selection={selection}
        />
      )}
    </PageFrame>
  );
}

function Nothing({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) {
    return (
      <Empty icon="search" title="No capability fits">
        <p>Search by what it should do, in your own words, or take the filters away.</p>
        <p>
          <a class="link" href="/capabilities">
            Show all
          </a>
        </p>
      </Empty>
    );
  }
  return (
    <Empty icon="capabilities" title="Nothing learned yet">
      <p>
        Every run of code that succeeds is remembered here. Let an agent work through PML, or run something in
        the{' '}
        <a class="link" href="/playground">
          playground
        </a>
        .
      </p>
    </Empty>
  );
}

type Filter = ReturnType<typeof filterOf>;

function hasFilter({ q, state, visibility, namespace, tag }: Filter): boolean {
  return Boolean(q || state || visibility || namespace || tag);
}

function defaultOrder(sort: string | undefined): 'asc' | 'desc' {
  return sort === 'name' ? 'asc' : 'desc';
}

function sortBy(by: string, filter: Filter): void {
  const isSame = (filter.sort ?? 'usage') === by;
  const order = isSame ? ((filter.order ?? defaultOrder(by)) === 'asc' ? 'desc' : 'asc') : defaultOrder(by);
  setQuery({ sort: by === 'usage' ? null : by, order: order === defaultOrder(by) ? null : order });
}

function useSelection(rows: readonly CapabilityItem[]) {
  const [keys, setKeys] = useState<ReadonlySet<string>>(new Set());
  const toggle = (key: string) => setKeys(new Set(keys).symmetricDifference(new Set([key])));
  const clear = () => setKeys(new Set());
  const toggleAll = () => (keys.size >= rows.length ? clear() : setKeys(new Set(rows.map(({ id }) => id))));
  return { keys, toggle, toggleAll, clear };
}
