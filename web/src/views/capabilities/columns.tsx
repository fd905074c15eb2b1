import { useState } from 'preact/hooks';
import type { CapabilityItem } from '../../api/types.ts';
import { Rate, StateBadge, Tags } from '../../components/badges.tsx';
import { Menu } from '../../components/menu.tsx';
import { NameCell } from '../../components/name-cell.tsx';
import type { Column } from '../../components/virtual-table.tsx';
import { to } from '../../router/router.ts';
import { count, duration } from '../../text/format.ts';
import { Time } from '../../text/time.tsx';

export const COLUMNS: readonly Column<CapabilityItem>[] = [
  {
    key: 'name',
    title: 'Name',
    sort: 'name',
    cell: ({ id, name, description }) => (
      <NameCell href={to('capabilities', id)} name={name} description={description} />
    ),
  },
  {
    key: 'state',
    title: 'State',
    width: 'w-2',
    cell: ({ state, reason }) => <StateBadge state={state} reason={reason} />,
  },
  {
    key: 'tags',
    title: 'Tags',
    width: 'w-3',
    isLesser: true,
    cell: ({ tags }) => <Tags tags={tags} max={3} />,
  },
  {
    key: 'visibility',
    title: 'Visibility',
    width: 'w-1',
    isLesser: true,
    cell: ({ visibility }) => visibility,
  },
  {
    key: 'version',
    title: 'Version',
    width: 'w-1',
    isNumber: true,
    isLesser: true,
    cell: ({ version }) => version,
  },
  {
    key: 'parameters',
    title: 'Parameters',
    width: 'w-2',
    isNumber: true,
    isLesser: true,
    cell: ({ parameters }) => parameters,
  },
  {
    key: 'usage',
    title: 'Uses',
    width: 'w-1',
    isNumber: true,
    sort: 'usage',
    cell: ({ usage_count }) => count(usage_count),
  },
  {
    key: 'success',
    title: 'Success',
    width: 'w-1',
    isNumber: true,
    sort: 'success',
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
    key: 'last_used',
    title: 'Last used',
    width: 'w-2',
    sort: 'last_used',
    isLesser: true,
    cell: ({ last_used }) => <Time at={last_used} />,
  },
  {
    key: 'created',
    title: 'Created',
    width: 'w-2',
    sort: 'created',
    isLesser: true,
    cell: ({ created_at }) => <Time at={created_at} />,
  },
  { key: 'created_by', title: 'By', width: 'w-2', isLesser: true, cell: ({ created_by }) => created_by },
  { key: 'routing', title: 'Routing', width: 'w-1', isLesser: true, cell: ({ routing }) => routing },
  {
    key: 'verified',
    title: 'Verified',
    width: 'w-1',
    isLesser: true,
    cell: ({ verified }) => (verified ? 'yes' : 'no'),
  },
];

const DEFAULT = ['name', 'state', 'tags', 'usage', 'success', 'p50', 'last_used'];
const KEY = 'pml-capability-columns';

/** Which columns the reader chose; the browser remembers them. */
export function useColumns() {
  const [shown, setShown] = useState<ReadonlySet<string>>(() => new Set(['name', ...readChoice()]));
  const toggle = (key: string) => {
    const next = new Set(shown).symmetricDifference(new Set([key]));
    setShown(next);
    try {
      localStorage.setItem(KEY, JSON.stringify([...next]));
    } catch {
      // A browser without storage forgets the choice.
    }
  };
  return { shown, toggle };
}

export function ColumnChoice({ columns }: { columns: ReturnType<typeof useColumns> }) {
  return (
    <Menu label="Columns" icon="columns">
      {COLUMNS.filter(({ key }) => key !== 'name').map(({ key, title }) => (
        <label class="check" key={key}>
          <input type="checkbox" checked={columns.shown.has(key)} onChange={() => columns.toggle(key)} />
          {title}
        </label>
      ))}
    </Menu>
  );
}

function readChoice(): string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? 'null');
    return Array.isArray(stored) ? stored.map(String) : DEFAULT;
  } catch {
    return DEFAULT;
  }
}
