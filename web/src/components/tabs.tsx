import { place, setQuery } from '../router/router.ts';

/** Parts of a view, each with an address of its own (`?tab=`). Arrow keys move between them. */
export function Tabs(props: {
  tabs: readonly (readonly [key: string, name: string])[];
  current: string;
  label: string;
  counts?: Record<string, number>;
  /** The part of the query that names the tab. */
  param?: string;
}) {
  const param = props.param ?? 'tab';
  const move = (event: KeyboardEvent) => {
    const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (by === 0) return;
    event.preventDefault();
    const at = props.tabs.findIndex(([key]) => key === props.current);
    const next = props.tabs[(at + by + props.tabs.length) % props.tabs.length];
    if (!next) return;
    setQuery({ [param]: next[0] });
    const bar = event.currentTarget as HTMLElement;
    requestAnimationFrame(() => bar.querySelector<HTMLElement>('[aria-selected=true]')?.focus());
  };
  return (
    <div class="tabs" role="tablist" aria-label={props.label} onKeyDown={move}>
      {props.tabs.map(([key, name]) => (
        <button
          type="button"
          class="tab"
          role="tab"
          key={key}
          aria-selected={key === props.current}
          tabIndex={key === props.current ? 0 : -1}
          onClick={() => setQuery({ [param]: key })}
        >
          {name}
          {props.counts?.[key] !== undefined && <span class="count muted">{props.counts[key]}</span>}
        </button>
      ))}
    </div>
  );
}

/** Which tab the address names. */
export function currentTab(param = 'tab'): string {
  return place.value.query.get(param) ?? '';
}
