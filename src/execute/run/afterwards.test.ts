import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Afterwards } from './afterwards.ts';

const log = { warn: () => {} } as unknown as ConstructorParameters<typeof Afterwards>[0];

/** Adds pieces that go on until they are ended. */
function bench() {
  const afterwards = new Afterwards(log);
  const begun: string[] = [];
  let end: () => void = () => {};
  const add = (principal: string, name: string) =>
    afterwards.add(principal, () => {
      begun.push(name);
      return new Promise((resolve) => {
        end = resolve;
      });
    });
  const next = async () => {
    end();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { afterwards, begun, add, next };
}

test('one principal with much slow work neither delays nor crowds out the work of another', async () => {
  const { afterwards, begun, add, next } = bench();
  for (let i = 0; i < 200; i++) add('ana', `a${i}`);
  add('ben', 'b0');
  await next();
  assert.deepEqual(begun, ['a0']);
  await next();
  await next();
  assert.ok(begun.includes('b0'), begun.join());
  for (let i = 0; i < 50; i++) await next();
  assert.ok(begun.length < 25, 'most of the 200 pieces are dropped');
  await afterwards.close();
});

test('once closed, what has begun ends and nothing else begins', async () => {
  const { afterwards, begun, add, next } = bench();
  add('ana', 'a0');
  add('ana', 'a1');
  await next();
  const closed = afterwards.close();
  await next();
  await closed;
  add('ana', 'a2');
  assert.ok(!begun.includes('a2'));
});
