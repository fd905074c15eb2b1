import type { ListName, Member } from './member.ts';

/** Changes this close together are announced as one. */
const GATHER_MS = 40;
/** Announcements are at least this far apart, however often servers change their lists. */
const PAUSE_MS = 300;

export type Announcements = ReadonlyMap<ListName, ReadonlySet<Member>>;

/** Announces changed lists: once per burst, and at most a few times a second. */
export class Announcer {
  readonly #announce: (announcements: Announcements) => void;
  #pending = new Map<ListName, ReadonlySet<Member>>();
  #timer: NodeJS.Timeout | undefined;
  #lastAnnouncedAt = 0;

  constructor(announce: (announcements: Announcements) => void) {
    this.#announce = announce;
  }

  add(lists: Iterable<ListName>, members: readonly Member[]): void {
    if (members.length === 0) return;
    for (const list of lists)
      this.#pending.set(list, new Set([...(this.#pending.get(list) ?? []), ...members]));
    const wait = Math.max(GATHER_MS, this.#lastAnnouncedAt + PAUSE_MS - performance.now());
    this.#timer ??= setTimeout(() => this.#flush(), wait);
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #flush(): void {
    this.#timer = undefined;
    this.#lastAnnouncedAt = performance.now();
    const announcements = this.#pending;
    this.#pending = new Map();
    this.#announce(announcements);
  }
}
