import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../testing/effort.ts';
import { completeHistory } from './complete-history.ts';
import type { ThreadMessage } from './message.ts';

const id = fc.constantFrom('a', 'b', 'c');
const message: fc.Arbitrary<ThreadMessage> = fc.oneof(
  fc.record({ role: fc.constant('user' as const), text: fc.string() }),
  fc.record({
    role: fc.constant('assistant' as const),
    text: fc.constantFrom('', 'said'),
    calls: fc.uniqueArray(fc.record({ id, name: fc.constant('t'), input: fc.constant({}) }), {
      selector: (call) => call.id,
    }),
  }),
  fc.record({
    role: fc.constant('tool' as const),
    id,
    name: fc.constant('t'),
    text: fc.string(),
    isError: fc.boolean(),
  }),
);

test('after completion every call is answered once, right after it, and nothing else is lost', () => {
  fc.assert(
    fc.property(fc.array(message), (messages) => {
      const complete = completeHistory(messages);
      let open: string[] = [];
      for (const one of complete) {
        if (one.role === 'tool') {
          assert.ok(open.includes(one.id));
          open = open.filter((id) => id !== one.id);
        } else {
          assert.deepEqual(open, []);
          if (one.role === 'assistant') {
            open = one.calls.map(({ id }) => id);
            assert.ok(one.text !== '' || open.length > 0);
          }
        }
      }
      assert.deepEqual(open, []);
      const spoken = (all: ThreadMessage[]) =>
        all.filter((one) => one.role === 'user' || (one.role === 'assistant' && one.text !== ''));
      assert.deepEqual(spoken(complete), spoken(messages));
      assert.deepEqual(completeHistory(complete), complete);
    }),
    runs(500),
  );
});
