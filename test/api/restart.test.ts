import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openStream } from '../support/event-stream.ts';
import type { Loose } from '../support/gateway-bed.ts';
import { Pml } from '../support/pml.ts';
import { onUsualEngine } from '../support/usual-engine.ts';

const pml = new Pml({ after }, {});

async function session(url: string): Promise<Loose> {
  return (await fetch(`${url}/api/v1/session`)).json();
}

async function undoAnything(url: string, token: string): Promise<[number, string]> {
  const headers = { 'content-type': 'application/json', 'x-pml-token': token };
  const response = await fetch(`${url}/api/v1/undo`, { method: 'POST', headers, body: '{"undo":"x"}' });
  return [response.status, ((await response.json()) as Loose).error.code];
}

test('pml dashboard prints the address, and a page of an earlier start is told so', async () => {
  await onUsualEngine(pml);
  const first = await pml.up();
  const { code, stdout } = await pml.run(['dashboard']);
  assert.deepEqual([code, stdout], [0, `${first.url}/\n`]);
  const { token } = await session(first.url);
  assert.deepEqual(await undoAnything(first.url, token), [400, 'bad_request']);
  const { id } = await (await openStream(first.url)).until('resync');
  await first.stop();

  const second = await pml.up();
  assert.deepEqual(await undoAnything(second.url, token), [403, 'stale_page']);
  const stream = await openStream(second.url, { 'last-event-id': id });
  const { id: now } = await stream.until('resync');
  assert.notEqual(now.split('-')[0], id.split('-')[0]);
  stream.close();
  assert.deepEqual(await undoAnything(second.url, (await session(second.url)).token), [400, 'bad_request']);
});
