import type { CapabilityItem } from '../../api/types.ts';
import { Icon } from '../../components/icon.tsx';
import { Filter, SearchBox } from '../../components/search-box.tsx';
import { setQuery } from '../../router/router.ts';

const STATES = [
  ['named', 'Named'],
  ['unnamed', 'Unnamed'],
  ['stale', 'Stale'],
  ['failing', 'Failing'],
  ['unused', 'Unused'],
  ['retired', 'Retired'],
] as const;
const VISIBILITIES = ['private', 'project', 'org', 'public'] as const;

/** Reads the filter from the address, so that a filtered table can be shared. */
export function filterOf(query: URLSearchParams) {
  const read = (key: string) => query.get(key) ?? undefined;
  return {
    q: read('q'),
    state: STATES.find(([state]) => state === read('state'))?.[0],
    visibility: VISIBILITIES.find((one) => one === read('visibility')),
    namespace: read('namespace'),
    tag: read('tag'),
    sort: ['name', 'created', 'last_used', 'success', 'usage'].find((one) => one === read('sort')),
    order:
      read('order') === 'asc' ? ('asc' as const) : read('order') === 'desc' ? ('desc' as const) : undefined,
  };
}

export function Filters({
  filter,
  rows,
}: {
  filter: ReturnType<typeof filterOf>;
  rows: readonly CapabilityItem[];
}) {
  const namespaces = offered(
    rows.map(({ namespace }) => namespace),
    filter.namespace,
  );
  const tags = offered(
    rows.flatMap((row) => row.tags),
    filter.tag,
  );
  return (
    <div class="toolbar">
      <SearchBox value={filter.q ?? ''} label="Search by intent" onSearch={(q) => setQuery({ q })} />
      <Filter
        label="State"
        all="All states"
        value={filter.state ?? ''}
        options={STATES}
        onChange={(state) => setQuery({ state })}
      />
      <Filter
        label="Namespace"
        all="All namespaces"
        value={filter.namespace ?? ''}
        options={namespaces}
        onChange={(namespace) => setQuery({ namespace })}
      />
      <Filter
        label="Tag"
        all="All tags"
        value={filter.tag ?? ''}
        options={tags}
        onChange={(tag) => setQuery({ tag })}
      />
      <Filter
        label="Visibility"
        all="All visibilities"
        value={filter.visibility ?? ''}
        options={VISIBILITIES.map((one) => [one, one] as const)}
        onChange={(visibility) => setQuery({ visibility })}
      />
      {(filter.q || filter.state || filter.namespace || filter.tag || filter.visibility) && (
        <a class="button quiet" href="/capabilities">
          <Icon name="close" size={12} />
          Clear
        </a>
      )}
    </div>
  );
}

const MOST_OFFERED = 100;

/** Offers what occurs in the rows that are shown, and what is chosen. */
function offered(values: readonly string[], chosen: string | undefined): [string, string][] {
  const all = new Set([...(chosen ? [chosen] : []), ...values.slice(0, 5000)]);
  return [...all]
    .slice(0, MOST_OFFERED)
    .sort()
    .map((value) => [value, value.slice(0, 60)]);
}
