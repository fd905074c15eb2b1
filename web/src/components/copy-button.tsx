import { useState } from 'preact/hooks';
import { notifyError } from '../shell/toasts.tsx';
import { Icon } from './icon.tsx';

const SHOWN_MS = 1500;

export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [isDone, setDone] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setDone(true);
    setTimeout(() => setDone(false), SHOWN_MS);
  };
  return (
    <button
      type="button"
      class="button quiet icon small"
      aria-label={isDone ? 'Copied' : label}
      onClick={() => void copy().catch(notifyError)}
    >
      <Icon name={isDone ? 'check' : 'copy'} size={13} />
    </button>
  );
}
