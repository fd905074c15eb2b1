import type { JsonObject } from '../../json.ts';
import type { DirectCall } from './direct-call.ts';

/** The direct calls of one connection or session that are under way, by the ids that its client gave them. */
export class PendingCalls {
  readonly #calls = new Map<unknown, DirectCall>();

  get(id: unknown): DirectCall | undefined {
    return this.#calls.get(id);
  }

  async run(call: DirectCall, params: JsonObject): Promise<void> {
    this.#calls.set(call.id, call);
    await call.run(params);
    this.#calls.delete(call.id);
  }

  /** Cancels the call that a `notifications/cancelled` message names. Returns false if no such call is pending here. */
  cancelBy(message: { method?: unknown; params?: unknown }): boolean {
    if (message.method !== 'notifications/cancelled') return false;
    const { requestId, reason } = (message.params ?? {}) as { requestId?: unknown; reason?: unknown };
    const call = this.#calls.get(requestId);
    call?.cancel(reason);
    return call !== undefined;
  }

  /** Ends all calls without an answer. */
  cancelAll(): void {
    for (const call of this.#calls.values()) call.cancel(new Error('Connection closed'));
  }
}
