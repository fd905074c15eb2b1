import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { chosenWorkspace, get, isOlderThanStream, type Params } from './client.ts';
import type { Page } from './types.ts';

export interface Pages<T> {
  items: T[];
  total: number | undefined;
  error: Error | undefined;
  /** Nothing is there yet to show. */
  loading: boolean;
  hasMore: boolean;
  loadMore: () => void;
  reload: () => void;
  /** Changes what is shown, without asking the gateway. */
  patch: (change: (items: T[]) => T[]) => void;
}

interface State<T> {
  key: string;
  items: T[];
  next: string | null;
  total?: number;
  error?: Error;
  done: boolean;
}

/**
 * Reads a list page by page. Another filter begins anew; a reload reads as many rows again as were shown, at most `MAX_RELOAD`.
 * With `countAt`, the rows are counted there when the first page is shown, unless it tells how many there are.
 */
export function usePages<T>(
  path: string,
  params: Params,
  { limit = 100, countAt }: { limit?: number; countAt?: { path: string; params: Params } } = {},
): Pages<T> {
  const key = JSON.stringify([chosenWorkspace.value, path, params]);
  const [state, setState] = useState<State<T>>({ key: '', items: [], next: null, done: false });
  const [round, setRound] = useState(0);
  const busy = useRef<AbortController | null>(null);
  const current = state.key === key ? state : { key, items: [] as T[], next: null, done: false };
  const latest = useRef(current);
  latest.current = current;

  const count = async (at: { path: string; params: Params }) => {
    // A table works without the number, too.
    const answer = await get<{ total: number }>(at.path, at.params).catch(() => undefined);
    if (answer) setState((was) => (was.key === key ? { ...was, total: answer.total } : was));
  };
  const read = useCallback(
    async (cursor: string | null, size: number) => {
      busy.current?.abort();
      const abort = new AbortController();
      busy.current = abort;
      try {
        const page = await get<Page<T>>(path, { ...params, limit: size, cursor }, abort.signal);
        const before = cursor === null ? [] : latest.current.items;
        const total = page.total ?? latest.current.total;
        setState({ key, items: [...before, ...page.items], next: page.next, total, done: true });
        if (cursor === null && page.total === undefined && countAt) void count(countAt);
        if (await isOlderThanStream(page.as_of)) setRound((count) => count + 1);
      } catch (error) {
        if (!abort.signal.aborted) setState({ ...latest.current, key, error: error as Error, done: true });
      } finally {
        if (busy.current === abort) busy.current = null;
      }
    },
    // The key holds the path and the parameters
    [key],
  );

  // `round` is bumped to read again
  useEffect(() => {
    void read(null, Math.min(Math.max(limit, latest.current.items.length), MAX_RELOAD));
    return () => busy.current?.abort();
  }, [read, round]);

  const loadMore = useCallback(() => {
    if (!busy.current && latest.current.next !== null) void read(latest.current.next, limit);
  }, [read, limit]);
  const reload = useCallback(() => setRound((count) => count + 1), []);
  const patch = useCallback(
    (change: (items: T[]) => T[]) => setState((was) => ({ ...was, items: change(was.items) })),
    [],
  );
  return {
    items: current.items,
    total: current.total,
    error: current.error,
    loading: !current.done,
    hasMore: current.next !== null,
    loadMore,
    reload,
    patch,
  };
}

const MAX_RELOAD = 200;
