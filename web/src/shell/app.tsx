import { useEffect, useRef } from 'preact/hooks';
import { chosenWorkspace, firstAnswer } from '../api/client.ts';
import { useLive } from '../api/live-events.ts';
import type { Events } from '../api/types.ts';
import { moves } from '../router/router.ts';
import { Banner } from './banner.tsx';
import { loadCounts, showCounts } from './inbox-count.ts';
import { Navigation } from './navigation.tsx';
import { quickSearch, shortcutHelp } from './overlays.ts';
import { QuickSearch } from './quick-search.tsx';
import { ShortcutHelp } from './shortcut-help.tsx';
import { useShortcuts } from './shortcuts.ts';
import { Toasts, undoLast } from './toasts.tsx';
import { CurrentView, preload } from './views.tsx';

export function App() {
  const scroller = useRef<HTMLElement>(null);
  const move = moves.value;
  // Each move to another view begins at its top
  useEffect(() => scroller.current?.scrollTo(0, 0), [move]);
  useShortcuts([
    { key: '/', does: 'Search', act: () => open(quickSearch) },
    { key: '?', does: 'Show the keys', act: () => open(shortcutHelp) },
    { key: 'z', does: 'Take the last change back', act: undoLast },
  ]);
  useSearchKey();
  // After the first answer of the view, so that counting does not delay it.
  useEffect(() => void firstAnswer.then(() => setTimeout(loadCounts)), []);
  useLive(['inbox'], (data) => (data ? showCounts((data as Events['inbox']).counts) : void loadCounts()));
  return (
    <div class="shell">
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <Navigation preload={preload} />
      <div class="main">
        <Banner />
        <main id="main" class="main-scroll" ref={scroller} tabIndex={-1}>
          <CurrentView key={chosenWorkspace.value} />
        </main>
      </div>
      <Toasts />
      <QuickSearch />
      <ShortcutHelp />
    </div>
  );
}

function open(overlay: { value: boolean }): void {
  overlay.value = true;
}

/** Ctrl+K and ⌘K search from everywhere, also from within a field. */
function useSearchKey(): void {
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.key !== 'k' || !(event.metaKey || event.ctrlKey)) return;
      event.preventDefault();
      open(quickSearch);
    };
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, []);
}
