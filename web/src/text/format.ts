const numbers = new Intl.NumberFormat('en-US');
const compact = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 });
const absolute = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const clock = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hour12: false,
});

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export const count = (value: number): string => numbers.format(value);

/** Large numbers as 12.3K. */
export const short = (value: number): string =>
  value < 10_000 ? numbers.format(value) : compact.format(value);

export function percent(rate: number | null | undefined): string {
  if (rate === null || rate === undefined) return '–';
  // 99.96 % must not read as 100 %: one failure in thousands is still a failure.
  const value = rate === 1 ? 100 : Math.min(99.9, Math.round(rate * 1000) / 10);
  return `${Number.isInteger(value) ? value : value.toFixed(1)}%`;
}

/** A duration: 4 ms, 1.2 s, 3 m 4 s. */
export function duration(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return '–';
  if (ms < 1) return ms === 0 ? '0 ms' : '<1 ms';
  if (ms < 1000) return `${ms < 10 ? trim(ms.toFixed(1)) : Math.round(ms)} ms`;
  if (ms < MINUTE) return `${trim((ms / 1000).toFixed(ms < 10_000 ? 2 : 1))} s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} m ${Math.round((ms % MINUTE) / 1000)} s`;
  if (ms < DAY) return `${Math.floor(ms / HOUR)} h ${Math.round((ms % HOUR) / MINUTE)} m`;
  return `${trim((ms / DAY).toFixed(1))} days`;
}

export function bytes(size: number): string {
  if (size < 1024) return `${size} B`;
  if (size < 1024 ** 2) return `${trim((size / 1024).toFixed(1))} KB`;
  return `${trim((size / 1024 ** 2).toFixed(1))} MB`;
}

/** How long ago something was: "now", "5 m ago". */
export function ago(iso: string, now: number): string {
  const past = now - Date.parse(iso);
  if (Number.isNaN(past)) return '–';
  if (past < 5000) return 'now';
  if (past < MINUTE) return `${Math.floor(past / 1000)} s ago`;
  if (past < HOUR) return `${Math.floor(past / MINUTE)} m ago`;
  if (past < DAY) return `${Math.floor(past / HOUR)} h ago`;
  if (past < 60 * DAY) return `${Math.floor(past / DAY)} d ago`;
  return `${Math.floor(past / (30 * DAY))} mo ago`;
}

export const fullTime = (iso: string): string => absolute.format(new Date(iso));
export const clockTime = (iso: string): string => clock.format(new Date(iso));

export function plural(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** Cuts a text, which may be of any length, and ends it with an ellipsis. */
export function bounded(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max)}…`;
}

function trim(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}
