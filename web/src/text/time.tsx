import { signal } from '@preact/signals';
import { ago, fullTime } from './format.ts';

/** Moves on by itself, so that relative times stay true on a page that is kept open. */
const now = signal(Date.now());
setInterval(() => {
  if (!document.hidden) now.value = Date.now();
}, 10_000);

/** A time as the reader's zone has it: relative, with the full time as its title. */
export function Time({ at }: { at: string | null | undefined }) {
  if (!at) return <span class="muted">never</span>;
  return (
    <time dateTime={at} title={fullTime(at)}>
      {ago(at, Math.max(now.value, Date.now()))}
    </time>
  );
}
