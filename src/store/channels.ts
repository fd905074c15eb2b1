export interface Subscriber {
  hear(payload: string): void;
  onGap(): void;
}

/** Who listens to which channel, whatever engine the payloads come from. */
export class Channels {
  readonly #subscribers = new Map<string, Set<Subscriber>>();

  names(): string[] {
    return [...this.#subscribers.keys()];
  }

  add(channel: string, subscriber: Subscriber): void {
    const subscribers = this.#subscribers.get(channel) ?? new Set();
    this.#subscribers.set(channel, subscribers.add(subscriber));
  }

  /** Says whether that was the channel's last subscriber. */
  remove(channel: string, subscriber: Subscriber): boolean {
    const subscribers = this.#subscribers.get(channel);
    if (!subscribers?.delete(subscriber) || subscribers.size > 0) return false;
    return this.#subscribers.delete(channel);
  }

  deliver(channel: string, payload: string): void {
    for (const subscriber of [...(this.#subscribers.get(channel) ?? [])]) subscriber.hear(payload);
  }

  announceGap(): void {
    for (const subscribers of [...this.#subscribers.values()]) {
      for (const subscriber of [...subscribers]) subscriber.onGap();
    }
  }
}

export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
