import { chosenWorkspace, session } from '../../api/client.ts';
import type { JournalRow } from '../../api/types.ts';
import { Icon } from '../../components/icon.tsx';
import { Filter } from '../../components/search-box.tsx';
import { setQuery } from '../../router/router.ts';

const KINDS = [
  ['run', 'Code and capabilities'],
  ['call', 'Calls of tools'],
] as const;
const OUTCOMES = [
  ['ok', 'Succeeded'],
  ['failed', 'Failed'],
] as const;
const SPANS = [
  ['1h', 'Last hour'],
  ['24h', 'Last 24 hours'],
  ['7d', 'Last 7 days'],
  ['30d', 'Last 30 days'],
] as const;
const FREE = ['server', 'tool', 'capability', 'user', 'agent', 'since'] as const;
type RunFilter = ReturnType<typeof filterOf>;

/** Reads the filter from the address. */
export function filterOf(query: URLSearchParams) {
  const read = (key: string) => query.get(key) ?? undefined;
  const free = Object.fromEntries(FREE.map((key) => [key, read(key)])) as Record<
    (typeof FREE)[number],
    string | undefined
  >;
  return {
    ...free,
    kind: KINDS.find(([kind]) => kind === read('kind'))?.[0],
    outcome: OUTCOMES.find(([outcome]) => outcome === read('outcome'))?.[0],
  };
}

/** Whether a row that just came belongs into the filtered table. */
export function fits(row: JournalRow, filter: RunFilter): boolean {
  return (
    (!filter.kind || (filter.kind === 'call') === (row.kind === 'call')) &&
    (!filter.outcome || (filter.outcome === 'ok') === row.ok) &&
    (!filter.server || filter.server === row.server) &&
    (!filter.tool || filter.tool === row.tool || filter.tool === row.name) &&
    (!filter.capability || filter.capability === row.capability_id) &&
    (!filter.user || filter.user === row.user) &&
    (!filter.agent || filter.agent === row.agent)
  );
}

function serversShown(): string[] {
  const { workspace, workspaces = [] } = session.value ?? {};
  const shown = chosenWorkspace.value ?? workspace;
  return workspaces.find(({ id }) => id === shown)?.servers ?? [];
}

export function Filters({ filter }: { filter: RunFilter }) {
  const names = serversShown().map((name) => [name, name.slice(0, 60)] as const);
  const others = (['tool', 'capability', 'user', 'agent'] as const).filter((key) => filter[key]);
  return (
    <div class="toolbar">
      <Filter
        label="Kind"
        all="Everything"
        value={filter.kind ?? ''}
        options={KINDS}
        onChange={(kind) => setQuery({ kind })}
      />
      <Filter
        label="Outcome"
        all="Any outcome"
        value={filter.outcome ?? ''}
        options={OUTCOMES}
        onChange={(outcome) => setQuery({ outcome })}
      />
      <Filter
        label="Server"
        all="All servers"
        value={filter.server ?? ''}
        options={names}
        onChange={(server) => setQuery({ server })}
      />
      <Filter
        label="Time"
        all="Any time"
        value={filter.since ?? ''}
        options={SPANS}
        onChange={(since) => setQuery({ since })}
      />
      {others.map((key) => (
        <button
          type="button"
          class="button"
          key={key}
          aria-label={`Remove the filter ${key}`}
          onClick={() => setQuery({ [key]: null })}
        >
          {key}: {filter[key]?.slice(0, 40)}
          <Icon name="close" size={10} />
        </button>
      ))}
      {Object.values(filter).some(Boolean) && (
        <a class="button quiet" href="/runs">
          <Icon name="close" size={12} />
          Clear
        </a>
      )}
    </div>
  );
}
