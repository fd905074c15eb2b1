import { useEffect, useId, useState } from 'preact/hooks';
import { get } from '../api/client.ts';
import type { CapabilityItem, Page, ToolItem } from '../api/types.ts';
import { Dialog } from '../components/dialog.tsx';
import { Icon, type IconName } from '../components/icon.tsx';
import { navigate, to } from '../router/router.ts';
import { quickSearch } from './overlays.ts';
import { GO_TO } from './shortcuts.ts';

interface Hit {
  href: string;
  name: string;
  about: string;
  icon: IconName;
}

const SETTLE_MS = 150;

/** Searches views, capabilities and tools at once; capabilities by intent, as agents find them. */
export function QuickSearch() {
  if (!quickSearch.value) return null;
  return <OpenSearch />;
}

function OpenSearch() {
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const hits = useHits(text);
  const listId = useId();
  const open = (hit: Hit | undefined) => {
    if (!hit) return;
    close();
    navigate(hit.href);
  };
  const onKey = (event: KeyboardEvent) => {
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (by !== 0) {
      event.preventDefault();
      setChosen(Math.max(0, Math.min(hits.length - 1, chosen + by)));
    }
    if (event.key === 'Enter') open(hits[chosen]);
  };
  return (
    <Dialog title="Search" onClose={close}>
      <div class="stack">
        <input
          class="input"
          type="text"
          role="combobox"
          aria-label="Search capabilities, tools and views"
          aria-expanded="true"
          aria-controls={listId}
          aria-activedescendant={hits.length > 0 ? `${listId}-${chosen}` : undefined}
          placeholder="What should it do?"
          maxLength={500}
          value={text}
          onInput={(event) => {
            setText(event.currentTarget.value);
            setChosen(0);
          }}
          onKeyDown={onKey}
        />
        <div role="listbox" id={listId} aria-label="Found" class="hits">
          {hits.map((hit, index) => (
            <div
              role="option"
              id={`${listId}-${index}`}
              key={hit.href}
              aria-selected={index === chosen}
              class="hit"
              onClick={() => open(hit)}
            >
              <Icon name={hit.icon} />
              <span class="truncate strong">{hit.name}</span>
              <span class="truncate muted">{hit.about}</span>
            </div>
          ))}
        </div>
        {hits.length === 0 && <p class="muted">Nothing fits. Try other words.</p>}
      </div>
    </Dialog>
  );
}

function close(): void {
  quickSearch.value = false;
}

function useHits(text: string): Hit[] {
  const [found, setFound] = useState<Hit[]>([]);
  useEffect(() => {
    if (!text.trim()) return setFound([]);
    const abort = new AbortController();
    const timer = setTimeout(() => {
      void search(text, abort.signal)
        .then(setFound)
        .catch(() => {});
    }, SETTLE_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [text]);
  const views = Object.values(GO_TO)
    .filter(({ name }) => name.toLowerCase().includes(text.trim().toLowerCase()))
    .map(({ path, name }): Hit => ({ href: path, name, about: 'View', icon: 'overview' }));
  return text.trim() ? [...found, ...views] : views;
}

async function search(q: string, signal: AbortSignal): Promise<Hit[]> {
  const [capabilities, tools] = await Promise.all([
    get<Page<CapabilityItem>>('/capabilities', { q, limit: 6 }, signal),
    get<Page<ToolItem>>('/tools', { q, limit: 6 }, signal),
  ]);
  return [
    ...capabilities.items.map(
      ({ id, name, description }): Hit => ({
        href: to('capabilities', id),
        name,
        about: description,
        icon: 'capabilities',
      }),
    ),
    ...tools.items.map(
      ({ server, tool, name, description }): Hit => ({
        href: to('tools', server, tool),
        name,
        about: description,
        icon: 'tools',
      }),
    ),
  ];
}
