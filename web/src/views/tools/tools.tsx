import { get } from '../../api/client.ts';
import { useLive } from '../../api/live-events.ts';
import type { Page, ServerItem, ToolItem } from '../../api/types.ts';
import { usePages } from '../../api/use-pages.ts';
import { useResource } from '../../api/use-resource.ts';
import { Rate } from '../../components/badges.tsx';
import { NameCell } from '../../components/name-cell.tsx';
import { PageFrame } from '../../components/page.tsx';
import { Filter, SearchBox } from '../../components/search-box.tsx';
import { Empty, Problem, Skeleton } from '../../components/states.tsx';
import { type Column, VirtualTable } from '../../components/virtual-table.tsx';
import { place, setQuery, to } from '../../router/router.ts';
import { bounded, count, duration } from '../../text/format.ts';

const COLUMNS: readonly Column<ToolItem>[] = [
  {
    key: 'name',
    title: 'Tool',
    sort: 'name',
    cell: ({ server, tool, description }) => (
      <NameCell href={to('tools', server, tool)} name={tool} description={description} />
    ),
  },
  {
    key: 'server',
    title: 'Server',
    width: 'w-3',
    cell: ({ server }) => <a href={to('servers', server)}>{bounded(server, 60)}</a>,
  },
  {
    key: 'effect',
    title: 'Effect',
    width: 'w-2',
    isLesser: true,
    cell: ({ read_only, stale }) => (
      <>
        {read_only ? <span class="badge">reads</span> : <span class="muted small">may write</span>}{' '}
        {stale && <span class="badge warn">changed</span>}
      </>
    ),
  },
  {
    key: 'calls',
    title: 'Calls',
    width: 'w-1',
    isNumber: true,
    sort: 'calls',
    cell: ({ calls }) => count(calls),
  },
  {
    key: 'success',
    title: 'Success',
    width: 'w-1',
    isNumber: true,
    sort: 'errors',
    cell: ({ success_rate }) => <Rate value={success_rate} />,
  },
  {
    key: 'p50',
    title: 'p50',
    width: 'w-1',
    isNumber: true,
    isLesser: true,
    cell: ({ p50_ms }) => duration(p50_ms),
  },
  {
    key: 'p95',
    title: 'p95',
    width: 'w-1',
    isNumber: true,
    isLesser: true,
    sort: 'p95',
    cell: ({ p95_ms }) => duration(p95_ms),
  },
  {
    key: 'used_by',
    title: 'Used by',
    width: 'w-1',
    isNumber: true,
    isLesser: true,
    cell: ({ used_by }) => count(used_by),
  },
];
const SORTS = ['name', 'calls', 'errors', 'p95'] as const;

/** One table of the tools of all servers. */
export function Tools() {
  const { query } = place.value;
  const sort = SORTS.find((one) => one === query.get('sort')) ?? 'name';
  const order =
    query.get('order') === 'asc'
      ? 'asc'
      : query.get('order') === 'desc'
        ? 'desc'
        : sort === 'name'
          ? 'asc'
          : 'desc';
  const q = query.get('q') ?? '';
  const server = query.get('server') ?? '';
  const pages = usePages<ToolItem>('/tools', { q, server, sort, order });
  const servers = useResource('servers', (signal) => get<Page<ServerItem>>('/servers', {}, signal));
  useLive(['server'], pages.reload);
  const sortBy = (by: string) => {
    const next = by === sort ? (order === 'asc' ? 'desc' : 'asc') : null;
    setQuery({ sort: by === 'name' ? null : by, order: next });
  };
  return (
    <PageFrame
      title="Tools"
      layout="fill"
      beside={
        <span class="muted">
          {pages.total !== undefined && `${count(pages.total)}, `}figures of the last 30 days
        </span>
      }
    >
      <div class="toolbar">
        <SearchBox value={q} label="Search tools" onSearch={(text) => setQuery({ q: text })} />
        <Filter
          label="Server"
          all="All servers"
          value={server}
          options={(servers.data?.items ?? []).map(({ name }) => [name, name.slice(0, 60)] as const)}
          onChange={(value) => setQuery({ server: value })}
        />
      </div>
      {pages.error && <Problem error={pages.error} retry={pages.reload} />}
      {pages.loading && <Skeleton lines={12} />}
      {!pages.loading && !pages.error && pages.items.length === 0 && (
        <Nothing isFiltered={Boolean(q || server)} />
      )}
      {pages.items.length > 0 && (
        <VirtualTable
          label="Tools"
          columns={COLUMNS}
          rows={pages.items}
          total={pages.total}
          keyOf={({ name }) => name}
          hrefOf={(row) => to('tools', row.server, row.tool)}
          hasMore={pages.hasMore}
          onMore={pages.loadMore}
          sort={q ? undefined : { by: sort, order }}
          onSort={sortBy}
        />
      )}
    </PageFrame>
  );
}

function Nothing({ isFiltered }: { isFiltered: boolean }) {
  return (
    <Empty icon="tools" title={isFiltered ? 'No tool fits' : 'No tools yet'}>
      {isFiltered ? (
        <a class="link" href="/tools">
          Show all
        </a>
      ) : (
        <p>
          Tools come from MCP servers. <code>pml add NAME -- COMMAND</code> adds one, <code>pml init</code>{' '}
          takes over those of your other clients.
        </p>
      )}
    </Empty>
  );
}
