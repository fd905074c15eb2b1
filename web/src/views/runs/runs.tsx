import { useEffect, useRef, useState } from 'preact/hooks';
import { useLive } from '../../api/live-events.ts';
import type { Events, JournalRow } from '../../api/types.ts';
import { usePages } from '../../api/use-pages.ts';
import { Icon } from '../../components/icon.tsx';
import { PageFrame } from '../../components/page.tsx';
import { Empty, Problem, Skeleton } from '../../components/states.tsx';
import { VirtualTable } from '../../components/virtual-table.tsx';
import { place, to } from '../../router/router.ts';
import { useShortcuts } from '../../shell/shortcuts.ts';
import { plural } from '../../text/format.ts';
import { COLUMNS } from './columns.tsx';
import { Filters, filterOf, fits } from './filters.tsx';

const MAX_LIVE = 500;
/** A flood is over if nothing was left out for this long. */
const CALM_MS = 3000;

/** The journal, newest first, with what happens now on top. */
export function Runs() {
  const filter = filterOf(place.value.query);
  const pages = usePages<JournalRow>('/runs', { ...filter });
  const tail = useTail(pages.reload, (row) => fits(row, filter));
  const rows = joined(tail.rows, pages.items);
  return (
    <PageFrame
      title="Runs"
      layout="fill"
      beside={<TailState tail={tail} />}
      acts={<PauseButton tail={tail} />}
    >
      <Filters filter={filter} />
      {pages.error && <Problem error={pages.error} retry={pages.reload} />}
      {pages.loading && rows.length === 0 && <Skeleton lines={12} />}
      {!pages.loading && !pages.error && rows.length === 0 && (
        <Nothing isFiltered={Object.values(filter).some(Boolean)} />
      )}
      {rows.length > 0 && (
        <VirtualTable
          label="Runs"
          columns={COLUMNS}
          rows={rows}
          keyOf={({ id }) => id}
          hrefOf={({ id }) => to('runs', id)}
          hasMore={pages.hasMore}
          onMore={pages.loadMore}
        />
      )}
    </PageFrame>
  );
}

/** Puts live rows above those that were read. Live rows older than the newest read row are in the journal already. */
function joined(tail: readonly JournalRow[], read: readonly JournalRow[]): readonly JournalRow[] {
  const newest = read[0]?.at ?? '';
  const known = new Set(read.filter(({ at }) => at >= newest).map(({ id }) => id));
  const fresh = tail.filter(({ id, at }) => at >= newest && !known.has(id));
  return fresh.length > 0 ? [...fresh, ...read] : read;
}

interface Tail {
  rows: JournalRow[];
  /** Rows that came while the tail was paused. */
  held: number;
  /** Calls that the gateway left out of the stream during a flood. */
  leftOut: number;
  isPaused: boolean;
  toggle: () => void;
}

/** The rows that came since the page was opened. While paused they are held back, so that what one reads stands still. */
function useTail(reload: () => void, fitsFilter: (row: JournalRow) => boolean): Tail {
  const [rows, setRows] = useState<JournalRow[]>([]);
  const [isPaused, setPaused] = useState(false);
  const held = useRef<JournalRow[]>([]);
  const [heldCount, setHeldCount] = useState(0);
  const [leftOut, setLeftOut] = useState(0);
  useLive(['call'], (data) => {
    if (data === null) return reload();
    const batch = data as Events['call'];
    if (batch.left_out > 0) setLeftOut((was) => was + batch.left_out);
    const fresh = batch.rows.filter(fitsFilter).reverse();
    if (fresh.length === 0) return;
    if (!isPaused) return setRows((was) => [...fresh, ...was].slice(0, MAX_LIVE));
    held.current = [...fresh, ...held.current].slice(0, MAX_LIVE);
    setHeldCount(held.current.length);
  });
  // After a flood the journal is read, which has the calls that were left out.
  useEffect(() => {
    if (leftOut === 0 || isPaused) return;
    const timer = setTimeout(() => {
      setLeftOut(0);
      reload();
    }, CALM_MS);
    return () => clearTimeout(timer);
  }, [leftOut, isPaused, reload]);
  const toggle = () => {
    if (isPaused) setRows((was) => [...held.current, ...was].slice(0, MAX_LIVE));
    held.current = [];
    setHeldCount(0);
    setPaused(!isPaused);
  };
  useShortcuts([{ key: 'p', does: 'Pause or go on', act: toggle }]);
  return { rows: rows.filter(fitsFilter), held: heldCount, leftOut, isPaused, toggle };
}

function TailState({ tail: { isPaused, held, leftOut } }: { tail: Tail }) {
  return (
    <>
      <span class="badge" role="status">
        <span class={isPaused ? 'dot warn' : 'dot good'} />
        {isPaused ? `Paused${held > 0 ? `, ${plural(held, 'new', 'new')}` : ''}` : 'Live'}
      </span>
      {leftOut > 0 && <span class="muted">too fast to show: {plural(leftOut, 'call')} left out for now</span>}
    </>
  );
}

function PauseButton({ tail }: { tail: Tail }) {
  return (
    <button type="button" class="button" onClick={tail.toggle}>
      <Icon name={tail.isPaused ? 'runs' : 'pause'} />
      {tail.isPaused ? 'Go on' : 'Pause'}
    </button>
  );
}

function Nothing({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) {
    return (
      <Empty icon="search" title="No run fits the filters">
        <p>
          <a class="link" href="/runs">
            Show all
          </a>
        </p>
      </Empty>
    );
  }
  return (
    <Empty icon="runs" title="Nothing ran yet">
      <p>
        Every call of a tool, every run of code and every capability that agents call is written down here, as
        it happens.
      </p>
    </Empty>
  );
}
