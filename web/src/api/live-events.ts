import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { eventsAddress, loadSession, session } from './client.ts';

export type LiveEvent = 'call' | 'capability' | 'server' | 'inbox';
type Listener = (data: unknown) => void;

/** Whether the gateway is there: `away` once the stream has broken, until it is back. */
export const connection = signal<'connecting' | 'open' | 'away'>('connecting');
/** The version of the gateway that came back, if it is not the one this page was made for. */
export const upgradedTo = signal<string | null>(null);

const EVENTS: readonly LiveEvent[] = ['call', 'capability', 'server', 'inbox'];
const listeners = new Map<string, Set<Listener>>();
/** A browser opens few connections to one host, so a tab that nobody looks at gives its stream back. */
const HIDDEN_MS = 30_000;
const RETRY_MS = 1500;

let source: EventSource | undefined;
let retry: number | undefined;
let hide: number | undefined;
/** True if calls came while the tab was hidden: nothing is drawn then, and all is read again when it is shown. */
let hasMissed = false;

/** Opens the one stream of changes that all views share. */
export function startLive(): void {
  // The views read after this request, so they need only what follows the event that its answer names.
  void loadSession().then(
    ({ last_event }) => open(last_event),
    () => open(),
  );
  document.addEventListener('visibilitychange', () => {
    clearTimeout(hide);
    if (document.hidden) hide = window.setTimeout(close, HIDDEN_MS);
    else if (!source) open();
    else if (hasMissed) tell('resync', null);
    hasMissed = false;
  });
}

/** Opens the stream anew, for another workspace. */
export function restartLive(): void {
  close();
  open();
}

/** Calls back on each event of these kinds, and with null when events were missed and all must be read again. */
export function useLive(kinds: readonly LiveEvent[], listener: (data: unknown, kind: string) => void): void {
  const latest = useRef(listener);
  latest.current = listener;
  // The kinds of a view are constant
  useEffect(() => {
    const undo = [...kinds, 'resync'].map((kind) => listen(kind, (data) => latest.current(data, kind)));
    return () => {
      for (const stop of undo) stop();
    };
  }, []);
}

function listen(kind: string, listener: Listener): () => void {
  const all = listeners.get(kind) ?? new Set();
  listeners.set(kind, all.add(listener));
  return () => all.delete(listener);
}

function tell(kind: string, data: unknown): void {
  for (const listener of listeners.get(kind) ?? []) listener(data);
}

/** Without the event after which to begin, the gateway first sends a `resync`. */
function open(after?: string): void {
  clearTimeout(retry);
  const stream = new EventSource(eventsAddress(after));
  source = stream;
  stream.onopen = () => void opened();
  stream.onerror = () => {
    connection.value = 'away';
    // The browser reconnects by itself unless the answer was an error.
    if (stream.readyState !== EventSource.CLOSED) return;
    close();
    retry = window.setTimeout(() => open(), RETRY_MS);
  };
  for (const kind of EVENTS) {
    stream.addEventListener(kind, ({ data }) => {
      if (kind === 'call' && document.hidden) hasMissed = true;
      else tell(kind, JSON.parse(data));
    });
  }
  stream.addEventListener('resync', () => tell('resync', null));
}

function close(): void {
  source?.close();
  source = undefined;
}

/** After a break the gateway may be a new process, with another token and perhaps another version. */
async function opened(): Promise<void> {
  const before = session.value;
  const wasAway = connection.value === 'away';
  connection.value = 'open';
  if (!wasAway || !before) return;
  try {
    const now = await loadSession();
    if (now.version !== before.version) upgradedTo.value = now.version;
    if (now.started_at !== before.started_at) tell('resync', null);
  } catch {
    // The next break of the stream asks again.
  }
}
