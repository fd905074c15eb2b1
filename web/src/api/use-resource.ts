import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { chosenWorkspace } from './client.ts';
import { connection } from './live-events.ts';

export interface Resource<T> {
  data: T | undefined;
  error: Error | undefined;
  loading: boolean;
  /** Reads again; what is shown stays until the answer is there. */
  reload: () => void;
  /** Replaces what is shown, for example by the answer of a change. */
  set: (data: T) => void;
}

/** Answers of the addresses that were shown last, so that going back shows them at once while they are read again. */
const shown = new Map<string, unknown>();
const MAX_SHOWN = 60;

/** Reads something of the gateway while a view shows it. `name` says what is read: another name reads anew. */
export function useResource<T>(name: string | null, read: (signal: AbortSignal) => Promise<T>): Resource<T> {
  const key = name === null ? null : `${chosenWorkspace.value ?? ''} ${name}`;
  const [state, setState] = useState<{ key: string | null; data?: T; error?: Error }>({ key: null });
  const [round, setRound] = useState(0);
  const latest = useRef(read);
  latest.current = read;
  const current = state.key === key ? state : { key, data: key === null ? undefined : (shown.get(key) as T) };

  // `round` is bumped to read again
  useEffect(() => {
    if (key === null) return;
    const abort = new AbortController();
    latest
      .current(abort.signal)
      .then((data) => {
        keep(key, data);
        setState({ key, data });
      })
      .catch((error: Error) => {
        if (!abort.signal.aborted)
          setState((was) => ({ key, data: was.key === key ? was.data : undefined, error }) as typeof was);
      });
    return () => abort.abort();
  }, [key, round]);

  const reload = useCallback(() => setRound((count) => count + 1), []);
  const set = useCallback((data: T) => setState({ key, data }), [key]);
  useReloadOnReturn(reload);
  return {
    data: current.data,
    error: 'error' in current ? current.error : undefined,
    loading: current.data === undefined && !('error' in current && current.error),
    reload,
    set,
  };
}

/** Reads again, once the gateway is back, what failed while it was away. */
function useReloadOnReturn(reload: () => void): void {
  const isAway = connection.value === 'away';
  const was = useRef(isAway);
  useEffect(() => {
    if (!isAway && was.current) reload();
    was.current = isAway;
  }, [isAway, reload]);
}

function keep(key: string, data: unknown): void {
  shown.delete(key);
  shown.set(key, data);
  const [oldest] = shown.keys();
  if (shown.size > MAX_SHOWN && oldest !== undefined) shown.delete(oldest);
}
