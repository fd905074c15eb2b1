import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { StdioTransport } from './stdio-transport.ts';

test('all messages that wait for a server are one wait, which ends when it reads', async (t) => {
  const transport = new StdioTransport({
    command: process.execPath,
    args: ['-e', 'process.stdin.resume()'],
    env: {},
    cwd: process.cwd(),
    onOutput: () => {},
  });
  await transport.start();
  t.after(() => transport.close());
  // Node warns of more than ten listeners.
  const warned = once(process, 'warning').then(([{ message }]) => message);
  const text = 'x'.repeat(100_000);
  const sent = Array.from({ length: 50 }, (_, id) =>
    transport.send({ jsonrpc: '2.0', id, method: 'ping', params: { text } }),
  );
  assert.equal(await Promise.race([warned, Promise.all(sent).then(() => 'all sent')]), 'all sent');
});
