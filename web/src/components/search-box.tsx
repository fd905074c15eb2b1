import { useEffect, useRef, useState } from 'preact/hooks';
import { useShortcuts } from '../shell/shortcuts.ts';
import { Icon } from './icon.tsx';

const SETTLE_MS = 200;

/** A field that searches once the reader pauses. `/` leads to it. */
export function SearchBox(props: { value: string; label: string; onSearch: (text: string) => void }) {
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(props.value);
  const search = useRef(props.onSearch);
  search.current = props.onSearch;
  useEffect(() => setText(props.value), [props.value]);
  useEffect(() => {
    if (text === props.value) return;
    const timer = setTimeout(() => search.current(text), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [text, props.value]);
  useShortcuts([{ key: '/', does: props.label, act: () => field.current?.focus() }]);
  return (
    <div class="search" role="search">
      <Icon name="search" />
      <input
        ref={field}
        type="search"
        class="input"
        aria-label={props.label}
        placeholder={props.label}
        value={text}
        maxLength={500}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.blur()}
      />
      <kbd aria-hidden="true">/</kbd>
    </div>
  );
}

/** A choice of a filter; the first option is "all". */
export function Filter(props: {
  label: string;
  value: string;
  all: string;
  options: readonly (readonly [value: string, label: string])[];
  onChange: (value: string) => void;
}) {
  return (
    <select
      class="select"
      aria-label={props.label}
      value={props.value}
      onChange={(event) => props.onChange(event.currentTarget.value)}
    >
      <option value="">{props.all}</option>
      {props.options.map(([value, label]) => (
        <option value={value} key={value}>
          {label}
        </option>
      ))}
    </select>
  );
}

export function Segmented<T extends string>(props: {
  label: string;
  value: T;
  options: readonly (readonly [value: T, label: string])[];
  onChange: (value: T) => void;
}) {
  return (
    <div class="segmented" role="group" aria-label={props.label}>
      {props.options.map(([value, label]) => (
        <button
          type="button"
          key={value}
          aria-pressed={value === props.value}
          onClick={() => props.onChange(value)}
        >
          {label}
        </button>
      ))}
    </div>
  );
}
