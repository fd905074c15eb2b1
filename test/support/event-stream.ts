import assert from 'node:assert/strict';
import type { Loose } from './gateway-bed.ts';

export interface StreamEvent {
  id: string;
  data: Loose;
}

export interface EventStream {
  /** Reads on until an event of this name fits. */
  until(name: string, fits?: (data: Loose) => boolean): Promise<StreamEvent>;
  /** The ids of all events so far, of whatever name. */
  readonly ids: readonly string[];
  close(): void;
}

/** Opens the dashboard's stream of events. */
export async function openStream(
  url: string,
  headers: Record<string, string> = {},
  query = '',
): Promise<EventStream> {
  const abort = new AbortController();
  const response = await fetch(`${url}/api/v1/events${query}`, { headers, signal: abort.signal });
  return { ...readEvents(response), close: () => abort.abort() };
}

/** Reads the events of a response, one at a time. */
export function readEvents(response: Response): Pick<EventStream, 'until' | 'ids'> {
  assert.equal(response.headers.get('content-type'), 'text/event-stream');
  const reader = (response.body as ReadableStream<Uint8Array>)
    .pipeThrough(new TextDecoderStream())
    .getReader();
  const ids: string[] = [];
  let text = '';
  const until: EventStream['until'] = async (name, fits = () => true) => {
    for (;;) {
      for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
        const lines = text.slice(0, end).split('\n');
        text = text.slice(end + 2);
        const field = (key: string) =>
          lines.find((line) => line.startsWith(`${key}: `))?.slice(key.length + 2);
        const id = field('id') as string;
        if (id !== undefined) ids.push(id);
        if (field('event') !== name) continue;
        const data = JSON.parse(field('data') ?? 'null');
        if (fits(data)) return { id, data };
      }
      const { value, done } = await reader.read();
      assert.ok(!done, `the stream ended before ${name}`);
      text += value;
    }
  };
  return { until, ids };
}
