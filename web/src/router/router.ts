import { computed, signal } from '@preact/signals';

export interface Place {
  /** The path's parts, decoded: `/runs/7` is `['runs', '7']`. */
  parts: string[];
  query: URLSearchParams;
}

const address = signal(location.pathname + location.search);

/** Where the reader is. */
export const place = computed<Place>(() => {
  const [path = '/', query = ''] = address.value.split('?');
  return { parts: path.split('/').filter(Boolean).map(decodePart), query: new URLSearchParams(query) };
});

/** Bumped on each move to another path, so that the shell can move the focus and scroll up. */
export const moves = signal(0);

export function navigate(to: string, { replace = false } = {}): void {
  if (to === address.value) return;
  const samePath = to.split('?')[0] === address.value.split('?')[0];
  history[replace ? 'replaceState' : 'pushState'](null, '', to);
  address.value = to;
  if (!samePath) moves.value++;
}

/** Changes parts of the query, so that filters can be shared and reloaded. */
export function setQuery(change: Record<string, string | null | undefined>): void {
  const query = new URLSearchParams(place.value.query);
  for (const [key, value] of Object.entries(change)) {
    if (value) query.set(key, value);
    else query.delete(key);
  }
  const path = address.value.split('?')[0] as string;
  navigate(query.size > 0 ? `${path}?${query}` : path, { replace: true });
}

/** Builds an address of this page; each part is escaped. */
export function to(...parts: (string | number)[]): string {
  return `/${parts.map((part) => encodeURIComponent(part)).join('/')}`;
}

/** Follows links within the page without loading it again. */
export function startRouter(): void {
  addEventListener('popstate', () => {
    address.value = location.pathname + location.search;
    moves.value++;
  });
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey)
      return;
    const link = (event.target as Element).closest?.('a');
    if (!link || link.target || link.origin !== location.origin || link.hasAttribute('download')) return;
    if (link.hash && link.pathname === location.pathname) return;
    event.preventDefault();
    navigate(link.pathname + link.search);
  });
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
