import { useState } from 'preact/hooks';
import { bytes } from './format.ts';

const FIRST = 4000;
/** A browser lays out a text of this size at once; larger ones are cut. */
const MOST = 400_000;

/** A text of any length, bounded until the reader asks for more. */
export function LongText({ text, label }: { text: string; label: string }) {
  const [isOpen, setOpen] = useState(false);
  const shown = text.slice(0, isOpen ? MOST : FIRST);
  return (
    <div class="long-text">
      <pre role="group" aria-label={label} tabIndex={0}>
        {shown}
      </pre>
      {text.length > shown.length && (
        <p class="muted small">
          {bytes(text.length)} in all, {bytes(shown.length)} shown.{' '}
          {!isOpen && (
            <button type="button" class="link" onClick={() => setOpen(true)}>
              Show {text.length > MOST ? bytes(MOST) : 'all'}
            </button>
          )}
        </p>
      )}
    </div>
  );
}

/** A JSON value as indented text. A string is shown as it is. */
export function JsonText({ value, label }: { value: unknown; label: string }) {
  const text = typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? 'undefined');
  return <LongText text={text} label={label} />;
}
