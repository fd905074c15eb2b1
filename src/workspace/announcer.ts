import type { Change, Session } from '../gateway/session/session.ts';

/** Changes this close together are one piece of news. */
const GATHER_MS = 40;
/** News goes out at most this often, however often servers change their lists. */
const PAUSE_MS = 300;

type News = Map<Change, Set<Session> | 'all'>;

/** Tells sessions that a list changed: once per burst, and at most a few times a second. */
export class Announcer {
  readonly #tell: (news: News) => void;
  #news: News = new Map();
  #timer: NodeJS.Timeout | undefined;
  #lastTold = 0;

  constructor(tell: (news: News) => void) {
    this.#tell = tell;
  }

  add(changes: Iterable<Change>, whom: readonly Session[] | 'all'): void {
    if (whom.length === 0) return;
    for (const change of changes) {
      const known = this.#news.get(change) ?? new Set();
      this.#news.set(change, whom === 'all' || known === 'all' ? 'all' : new Set([...known, ...whom]));
    }
    const wait = Math.max(GATHER_MS, this.#lastTold + PAUSE_MS - performance.now());
    this.#timer ??= setTimeout(() => this.#flush(), wait);
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #flush(): void {
    this.#timer = undefined;
    this.#lastTold = performance.now();
    const news = this.#news;
    this.#news = new Map();
    this.#tell(news);
  }
}
