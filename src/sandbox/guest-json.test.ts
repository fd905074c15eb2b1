import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import fc from 'fast-check';
import { isTextTooDeep, textForGuest } from './guest-json.ts';
import { DEFAULT_LIMITS, openSandbox } from './index.ts';
import { MAX_GUEST_NESTING } from './protocol.ts';

const sandbox = openSandbox({ warm: 1 });
after(() => sandbox.close());

function nested(levels: number, inner: unknown = 0): unknown {
  let value = inner;
  for (let i = 0; i < levels; i++) value = i % 2 ? [value] : { a: value };
  return value;
}

const DEEP = 'let deep = []; for (let i = 0; i < 20_000; i++) deep = i % 2 ? [deep] : { deep };';
const ADVICE = /nested deeper than 500 levels: make it flatter, or pass it as JSON text/;

async function failure(code: string, args: unknown = {}, callOut: () => Promise<unknown> = async () => 1) {
  const outcome = await sandbox.run(code, args, callOut, DEFAULT_LIMITS);
  assert.ok(!outcome.ok, JSON.stringify(outcome).slice(0, 200));
  return outcome;
}

describe('a value that is nested 20,000 deep', () => {
  test('does not come out as a result', async () => {
    const { kind, message } = await failure(`${DEEP} return deep`);
    assert.equal(kind, 'exception');
    assert.match(message, ADVICE);
    assert.match(message, /result is nested/);
  });

  test('does not come out as an argument, and nothing is called', async () => {
    let calls = 0;
    const { message } = await failure(`${DEEP} return await mcp.a.b({ deep })`, {}, async () => ++calls);
    assert.match(message, ADVICE);
    assert.match(message, /argument of mcp\.a\.b/);
    assert.equal(calls, 0);
  });

  test('does not go in as args', async () => {
    const { kind, message } = await failure('return 1', { deep: nested(20_000) });
    assert.equal(kind, 'limit');
    assert.match(message, ADVICE);
  });

  test('is an exception if a call answers with it', async () => {
    const { message } = await failure('return await mcp.a.b()', {}, async () => nested(20_000));
    assert.match(message, /The answer is too large or nested too deep/);
  });

  test('can be logged and thrown', async () => {
    const outcome = await sandbox.run(
      `${DEEP} console.log(deep); return 1`,
      {},
      async () => 1,
      DEFAULT_LIMITS,
    );
    assert.equal(outcome.ok, true);
    await failure(`${DEEP} throw deep`);
  });
});

test('a value at the limit passes both ways', async () => {
  const args = nested(MAX_GUEST_NESTING);
  const outcome = await sandbox.run('return await mcp.a.b(args)', args, async () => args, DEFAULT_LIMITS);
  assert.deepEqual(outcome.ok && outcome.value, args);
});

test('the depth of JSON text is that of its value, whatever its strings contain', () => {
  const hard = fc.string({ unit: fc.constantFrom('"', '\\', '[', ']', '{', '}', 'a', '\n', 'é') });
  const levels = fc.integer({ min: MAX_GUEST_NESTING - 5, max: MAX_GUEST_NESTING + 8 });
  const property = fc.property(levels, fc.array(hard), fc.dictionary(hard, hard), (depth, list, object) => {
    // The list is one level more.
    const text = JSON.stringify(nested(depth, [...list, 'x'.repeat(10)]));
    assert.equal(isTextTooDeep(text), depth + 1 > MAX_GUEST_NESTING + 1);
    assert.equal(textForGuest(object), JSON.stringify(object));
  });
  fc.assert(property);
});
