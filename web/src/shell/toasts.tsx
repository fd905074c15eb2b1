import { signal } from '@preact/signals';
import { ApiError } from '../api/client.ts';
import { Icon } from '../components/icon.tsx';

interface Toast {
  id: number;
  text: string;
  isBad: boolean;
  undo?: () => Promise<unknown>;
}

const toasts = signal<Toast[]>([]);
const SHOWN_MS = 7000;
const MAX_SHOWN = 4;
let lastId = 0;

/** Tells what was done. With `undo` it offers to take it back. */
export function notify(text: string, undo?: () => Promise<unknown>): void {
  show({ id: ++lastId, text, isBad: false, undo });
}

export function notifyError(error: unknown): void {
  const hint = error instanceof ApiError && error.hint ? ` ${error.hint}` : '';
  show({ id: ++lastId, text: `${(error as Error).message}${hint}`.slice(0, 600), isBad: true });
}

/** Does something that may fail. Shows the error and returns undefined if it fails. */
export async function attempt<T>(act: () => Promise<T>): Promise<T | undefined> {
  try {
    return await act();
  } catch (error) {
    notifyError(error);
    return undefined;
  }
}

/** Takes back what the newest toast offers to take back. */
export function undoLast(): void {
  const toast = toasts.value.findLast(({ undo }) => undo);
  if (toast) void takeBack(toast);
}

function show(toast: Toast): void {
  toasts.value = [...toasts.value.slice(1 - MAX_SHOWN), toast];
  setTimeout(() => dismiss(toast.id), toast.isBad || toast.undo ? SHOWN_MS * 2 : SHOWN_MS);
}

function dismiss(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}

async function takeBack({ id, undo }: Toast): Promise<void> {
  dismiss(id);
  if (!undo) return;
  const done = await attempt(async () => {
    await undo();
    return true;
  });
  if (done) notify('Taken back.');
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map((toast) => (
        <div class={toast.isBad ? 'toast bad' : 'toast'} key={toast.id}>
          <span>{toast.text}</span>
          <span class="spacer" />
          {toast.undo && (
            <button type="button" class="button small" onClick={() => void takeBack(toast)}>
              Undo
            </button>
          )}
          <button
            type="button"
            class="button quiet icon small"
            aria-label="Dismiss"
            onClick={() => dismiss(toast.id)}
          >
            <Icon name="close" size={12} />
          </button>
        </div>
      ))}
    </div>
  );
}
