import type { Gateway } from '../../../gateway/index.ts';
import type { Principal } from '../../../principal.ts';
import { EventHub } from './event-hub.ts';

/** A reader that is this many bytes behind is disconnected; it reconnects and catches up. */
const MAX_UNREAD = 1024 * 1024;
const HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
};

/** The open event streams of all pages. */
export class EventStreams {
  readonly #hubs = new Map<Gateway, EventHub>();
  readonly #open = new Set<() => void>();

  /** Opens a stream of the changes in a workspace. */
  async open(gateway: Gateway, who: Principal, lastId: string | undefined): Promise<Response> {
    const hub = this.#hubOf(gateway, who);
    const encoder = new TextEncoder();
    let end = () => {};
    const body = new ReadableStream<Uint8Array>(
      {
        start: async (controller) => {
          let isOpen = true;
          let remove = () => {};
          const stop = () => {
            if (!isOpen) return;
            end();
            controller.close();
          };
          end = () => {
            isOpen = false;
            this.#open.delete(stop);
            remove();
          };
          this.#open.add(stop);
          const read = (text: string) => {
            if (!isOpen) return;
            if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(text));
            else stop();
          };
          const added = await hub.add(read, lastId).catch((error) => {
            // The stream fails, and a failed stream cannot be closed.
            end();
            throw error;
          });
          // The stream may have ended meanwhile.
          if (isOpen) remove = added;
          else added();
        },
        cancel: () => end(),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: MAX_UNREAD }),
    );
    return new Response(body, { headers: HEADERS });
  }

  /** The id of the latest event in a workspace. Whatever follows it is kept for a page that opens its stream soon. */
  lastEvent(gateway: Gateway, who: Principal): Promise<string> {
    return this.#hubOf(gateway, who).lastEvent();
  }

  #hubOf(gateway: Gateway, who: Principal): EventHub {
    const hub = this.#hubs.get(gateway) ?? new EventHub(gateway, who);
    this.#hubs.set(gateway, hub);
    return hub;
  }

  close(): void {
    for (const stop of [...this.#open]) stop();
    for (const hub of this.#hubs.values()) hub.close();
    this.#hubs.clear();
  }
}
