import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FairTurns } from './fair-turns.ts';

/** Starts acts that go on until they are ended by name. */
function bench(limits: { each: number; all: number }) {
  const turns = new FairTurns(limits);
  const ends = new Map<string, () => void>();
  const begun: string[] = [];
  const start = (principal: string, name: string) =>
    turns.run(principal, () => {
      begun.push(name);
      return new Promise<void>((resolve) => ends.set(name, resolve));
    });
  const end = async (name: string) => {
    ends.get(name)?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { start, end, begun };
}

test('a principal has a few acts under way, and others begin beside its queue', async () => {
  const { start, end, begun } = bench({ each: 2, all: 4 });
  for (const name of ['a1', 'a2', 'a3', 'a4']) void start('ana', name);
  void start('ben', 'b1');
  await end('none');
  assert.deepEqual(begun, ['a1', 'a2', 'b1']);
  await end('a2');
  assert.deepEqual(begun, ['a1', 'a2', 'b1', 'a3']);
});

test('principals that wait for a place take turns', async () => {
  const { start, end, begun } = bench({ each: 2, all: 2 });
  for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) void start('ana', name);
  for (const name of ['b1', 'b2']) void start('ben', name);
  await end('none');
  for (const name of ['a1', 'a2', 'a3', 'b1']) await end(name);
  assert.deepEqual(begun, ['a1', 'a2', 'a3', 'b1', 'a4', 'b2']);
});

test('an act that fails gives up its place', async () => {
  const turns = new FairTurns({ each: 1, all: 1 });
  await assert.rejects(
    turns.run('ana', () => Promise.reject(new Error('no'))),
    /no/,
  );
  assert.equal(await turns.run('ana', async () => 'done'), 'done');
});
