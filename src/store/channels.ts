export interface Subscriber {
  onPayload(payload: string): void;
  onGap(): void;
}

/** The subscribers of each channel, on either engine. */
export class Channels {
  readonly #subscribers = new Map<string, Set<Subscriber>>();

  names(): string[] {
    return [...this.#subscribers.keys()];
  }

  add(channel: string, subscriber: Subscriber): void {
    const subscribers = this.#subscribers.get(channel) ?? new Set();
    this.#subscribers.set(channel, subscribers.add(subscriber));
  }

  /** Returns whether that was the channel's last subscriber. */
  remove(channel: string, subscriber: Subscriber): boolean {
    const subscribers = this.#subscribers.get(channel);
    if (!subscribers?.delete(subscriber) || subscribers.size > 0) return false;
    return this.#subscribers.delete(channel);
  }

  deliver(channel: string, payload: string): void {
    for (const subscriber of [...(this.#subscribers.get(channel) ?? [])]) subscriber.onPayload(payload);
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
