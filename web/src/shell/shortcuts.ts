import { useEffect, useRef } from 'preact/hooks';
import { navigate } from '../router/router.ts';

/** A key that a view listens to while it is shown. */
export interface Shortcut {
  key: string;
  does: string;
  act: () => void;
}

/** Where `g` and a letter lead. */
export const GO_TO: Record<string, { path: string; name: string }> = {
  o: { path: '/', name: 'Overview' },
  c: { path: '/capabilities', name: 'Capabilities' },
  i: { path: '/inbox', name: 'Inbox' },
  r: { path: '/runs', name: 'Runs' },
  t: { path: '/tools', name: 'Tools' },
  s: { path: '/servers', name: 'Servers' },
  a: { path: '/agents', name: 'Agents' },
  g: { path: '/graph', name: 'Graph' },
  p: { path: '/playground', name: 'Playground' },
};

const SEQUENCE_MS = 1200;
const active: Shortcut[][] = [];
let prefixAt = 0;

/** Listens to keys while the component is shown. */
export function useShortcuts(shortcuts: Shortcut[]): void {
  const latest = useRef<Shortcut[]>([]);
  latest.current.splice(0, latest.current.length, ...shortcuts);
  useEffect(() => {
    const mine = latest.current;
    active.push(mine);
    return () => void active.splice(active.indexOf(mine), 1);
  }, []);
}

/** The keys that the views on the page listen to. */
export function activeShortcuts(): Shortcut[] {
  return active.flat();
}

export function startShortcuts(): void {
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.altKey || event.metaKey || event.ctrlKey || isTyping(event)) return;
    if (follow(event.key)) event.preventDefault();
  });
}

function follow(key: string): boolean {
  const isSecond = Date.now() - prefixAt < SEQUENCE_MS;
  prefixAt = 0;
  const target = GO_TO[key];
  if (isSecond && target) {
    navigate(target.path);
    return true;
  }
  if (key === 'g') {
    prefixAt = Date.now();
    return true;
  }
  // The newest view first: a dialog's keys win over those of the page behind it.
  const shortcut = active.flat().findLast((one) => one.key === key);
  shortcut?.act();
  return shortcut !== undefined;
}

function isTyping(event: KeyboardEvent): boolean {
  const target = event.composedPath()[0] as HTMLElement;
  return Boolean(
    target.closest?.('input:not([type=checkbox]), textarea, select, [contenteditable=true], dialog[open]'),
  );
}
