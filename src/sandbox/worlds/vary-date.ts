import { drawBelow, drawFrom } from './hash.ts';

const DATE = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?$/;
const TIME = /^\d\d:\d\d(?::\d\d)?$/;
const DAY_MS = 86_400_000;

export function isDateText(text: string): boolean {
  return text.length <= 40 && DATE.test(text);
}

export function isTimeText(text: string): boolean {
  return TIME.test(text);
}

/** Another date of the same form, often near `now` or a date of the programs, where comparisons meet both sides. */
export function varyDate(text: string, key: number, dates: readonly string[], now: number): string {
  const roll = drawBelow(key, 21, 100);
  let day = Date.parse(`${text.slice(0, 10)}T00:00:00Z`);
  if (Number.isNaN(day)) return text;
  if (roll < 25 && dates.length > 0)
    day = Date.parse(`${drawFrom(dates, key, 22).slice(0, 10)}T00:00:00Z`) + nearDay(key);
  else if (roll < 45) day = Math.floor(now / DAY_MS) * DAY_MS + nearDay(key);
  else if (roll < 85) day += (drawBelow(key, 24, 81) - 40) * DAY_MS;
  if (Number.isNaN(day)) return text;
  const date = new Date(day).toISOString().slice(0, 10);
  return date + varyClock(text.slice(10), key);
}

/** Another time of day of the same form. */
export function varyTimeText(text: string, key: number): string {
  const minutes = drawBelow(key, 26, 24 * 4) * 15;
  return `${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}${text.slice(5)}`;
}

function nearDay(key: number): number {
  return (drawBelow(key, 23, 3) - 1) * DAY_MS;
}

/** Changes the hours and minutes of what follows a date: `T10:30:00Z`. */
function varyClock(rest: string, key: number): string {
  if (rest.length < 6 || drawBelow(key, 25, 3) === 0) return rest;
  const seconds =
    rest.charAt(6) === ':' && drawBelow(key, 27, 4) === 0
      ? `:${twoDigits(drawBelow(key, 28, 60))}`
      : rest.slice(6, 9);
  return rest.charAt(0) + varyTimeText(rest.slice(1, 6), key) + seconds + rest.slice(9);
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
