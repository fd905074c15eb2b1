import { Agent, get, request } from 'node:http';
import type { Client, Result } from '../support/clients.ts';

const INITIALIZE = {
  protocolVersion: '2024-11-05',
  capabilities: {},
  clientInfo: { name: 'bench', version: '1' },
};

/** A raw client of the older HTTP transport: answers come on one event stream, requests are posted beside it. */
export async function sseClient(url: string): Promise<Client> {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const waiting = new Map<number, PromiseWithResolvers<Result>>();
  const address = Promise.withResolvers<string>();
  const stream = get(url, { headers: { accept: 'text/event-stream' } }, (response) => {
    let held = '';
    response.setEncoding('utf8').on('data', (chunk: string) => {
      const events = (held + chunk).split(/\r?\n\r?\n/);
      held = events.pop() as string;
      for (const event of events) read(event);
    });
  }).on('error', (error) => address.reject(error));
  const read = (event: string) => {
    const data = /^data: ?(.*)$/m.exec(event)?.[1] ?? '';
    if (/^event: ?endpoint/m.test(event)) return address.resolve(new URL(data, url).href);
    const { id, result, error } = JSON.parse(data || '{}') as {
      id?: number;
      result?: Result;
      error?: object;
    };
    const waiter = id === undefined ? undefined : waiting.get(id);
    if (id === undefined || !waiter) return;
    waiting.delete(id);
    if (error) waiter.reject(new Error(JSON.stringify(error)));
    else waiter.resolve(result);
  };
  const target = await address.promise;
  const post = (message: object) => {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    request(target, { method: 'POST', agent, headers }, (response) => response.resume()).end(body);
  };
  let last = 0;
  const send = (method: string, params: object) => {
    const id = ++last;
    const waiter = Promise.withResolvers<Result>();
    waiting.set(id, waiter);
    post({ id, method, params });
    return waiter.promise;
  };
  await send('initialize', INITIALIZE);
  post({ method: 'notifications/initialized' });
  return {
    request: send,
    close: async () => {
      stream.destroy();
      agent.destroy();
    },
  };
}
