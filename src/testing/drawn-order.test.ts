import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DrawnOrder } from './drawn-order.ts';

async function orderOf(seed: number): Promise<string> {
  const order = new DrawnOrder(seed);
  const came: string[] = [];
  await Promise.all([...'abcdef'].map((name) => order.turn().then(() => came.push(name))));
  return came.join('');
}

test('a seed draws one order, other seeds draw others, and nobody is left waiting', async () => {
  const orders = await Promise.all(Array.from({ length: 50 }, (_, seed) => orderOf(seed)));
  assert.equal(await orderOf(7), orders[7]);
  assert.ok(new Set(orders).size > 40);
  assert.deepEqual(
    orders.map((order) => [...order].sort().join('')),
    Array(50).fill('abcdef'),
  );
});
