import assert from 'node:assert/strict';
import { PATIENCE_MS, within } from '../../src/testing/wait.ts';
import type { Loose } from './gateway-bed.ts';

export interface StreamEvent {
  id: string;
  data: Loose;
}

export interface EventStream {
  /** Takes the first event of this name that fits. The events before it stay for later calls: the order of two kinds is not fixed. */
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
  const untaken: (StreamEvent & { name: string | undefined })[] = [];
  let text = '';
  const readOn = async (wanted: string) => {
    const { value, done } = await within(reader.read(), PATIENCE_MS, `an event "${wanted}"`);
    assert.ok(!done, `the stream ended before ${wanted}`);
    text += value;
    for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
      const lines = text.slice(0, end).split('\n');
      text = text.slice(end + 2);
      const field = (key: string) => lines.find((line) => line.startsWith(`${key}: `))?.slice(key.length + 2);
      const id = field('id') as string;
      if (id !== undefined) ids.push(id);
      untaken.push({ id, name: field('event'), data: JSON.parse(field('data') ?? 'null') });
    }
  };
  const until: EventStream['until'] = async (wanted, fits = () => true) => {
    for (;;) {
      const at = untaken.findIndex(({ name, data }) => name === wanted && fits(data));
      if (at !== -1) return untaken.splice(at, 1)[0] as StreamEvent;
      await readOn(wanted);
    }
  };
  return { until, ids };
}
