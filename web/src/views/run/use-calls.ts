import { useCallback, useRef, useState } from 'preact/hooks';
import { apiPath, get } from '../../api/client.ts';
import type { Run, RunCall } from '../../api/types.ts';

const PAGE = 1000;

/** The calls of a run: its first page at once, the others as the reader comes to them. */
export function useCalls(run: Run): { calls: RunCall[]; loadMore: () => void } {
  const [more, setMore] = useState<{ calls: RunCall[]; next: string | undefined }>({
    calls: [],
    next: run.calls_next,
  });
  const isBusy = useRef(false);
  const { next } = more;
  const loadMore = useCallback(() => {
    if (next === undefined || isBusy.current) return;
    isBusy.current = true;
    void get<Run>(apiPath('runs', run.id), { calls_cursor: next, calls_limit: PAGE })
      .then((page) => setMore((was) => ({ calls: [...was.calls, ...page.calls], next: page.calls_next })))
      .catch(() => {})
      .finally(() => {
        isBusy.current = false;
      });
  }, [next, run.id]);
  return { calls: more.calls.length > 0 ? [...run.calls, ...more.calls] : run.calls, loadMore };
}
