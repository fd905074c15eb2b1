import { effect, signal } from '@preact/signals';

export type Theme = 'system' | 'light' | 'dark';
const KEY = 'pml-theme';
const NEXT: Record<Theme, Theme> = { system: 'light', light: 'dark', dark: 'system' };

export const theme = signal<Theme>(readTheme());
/** Bumped when the colours may have changed, so that canvases are drawn again. */
export const repaint = signal(0);

/** Follows the system's colours unless the reader chose others. */
export function startTheme(): void {
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => repaint.value++);
  effect(() => {
    if (theme.value === 'system') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme.value;
    repaint.value = repaint.peek() + 1;
  });
}

export function switchTheme(): void {
  theme.value = NEXT[theme.value];
  try {
    localStorage.setItem(KEY, theme.value);
  } catch {
    // A browser without storage forgets the choice.
  }
}

function readTheme(): Theme {
  try {
    const stored = localStorage.getItem(KEY);
    return stored === 'light' || stored === 'dark' ? stored : 'system';
  } catch {
    return 'system';
  }
}

const probe = document.createElement('span');
probe.hidden = true;

/** Returns a colour of the design as the browser computes it, for canvases. */
export function colour(name: string): string {
  if (!probe.isConnected) document.body.append(probe);
  probe.style.color = `var(--${name})`;
  return getComputedStyle(probe).color;
}
