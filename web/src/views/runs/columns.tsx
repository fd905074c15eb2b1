import type { JournalRow } from '../../api/types.ts';
import { Outcome } from '../../components/badges.tsx';
import type { Column } from '../../components/virtual-table.tsx';
import { to } from '../../router/router.ts';
import { bounded, duration } from '../../text/format.ts';
import { Time } from '../../text/time.tsx';

const KINDS = { call: 'Call', run: 'Code', capability: 'Capability' } as const;

export const COLUMNS: readonly Column<JournalRow>[] = [
  { key: 'at', title: 'When', width: 'w-2', cell: ({ at }) => <Time at={at} /> },
  { key: 'kind', title: 'Kind', width: 'w-2', isLesser: true, cell: ({ kind }) => KINDS[kind] },
  {
    key: 'name',
    title: 'What',
    cell: ({ id, name, error }) => (
      <>
        <a class="name" href={to('runs', id)}>
          {bounded(name, 100)}
        </a>{' '}
        {error && <span class="bad">{bounded(error, 200)}</span>}
      </>
    ),
  },
  {
    key: 'outcome',
    title: 'Outcome',
    width: 'w-1',
    cell: ({ ok, cached }) => <Outcome ok={ok} cached={cached} />,
  },
  { key: 'ms', title: 'Took', width: 'w-1', isNumber: true, cell: ({ ms }) => duration(ms) },
  {
    key: 'run',
    title: 'Within',
    width: 'w-2',
    isLesser: true,
    cell: ({ run }) => (run ? <a href={to('runs', run)}>a run</a> : <span class="muted">–</span>),
  },
  {
    key: 'who',
    title: 'Who',
    width: 'w-3',
    isLesser: true,
    cell: ({ user, agent }) => (
      <>
        {bounded(user, 40)} {agent && <span class="badge">{bounded(agent, 40)}</span>}
      </>
    ),
  },
];
