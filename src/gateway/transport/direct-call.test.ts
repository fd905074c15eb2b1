import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../json.ts';
import { openLog } from '../../log.ts';
import type { Session } from '../session/session.ts';
import { DirectCall } from './direct-call.ts';

test('a result that cannot be written is answered by an error', async () => {
  const sent: JsonObject[] = [];
  const channel = {
    // A text beyond V8's longest throws, too.
    answer: (message: JsonObject) => sent.push(JSON.parse(JSON.stringify(message))),
    send: () => {},
    abandon: () => assert.fail('the client would wait for ever'),
  };
  const session = {
    answer: async () => ({ content: [], structuredContent: { n: 1n } }),
  } as unknown as Session;
  const side = { session, log: openLog({ level: 'silent' }), server: undefined };
  const params = { name: 'x' };
  const call = { era: 'legacy', id: 7, progressToken: undefined, params, envelope: undefined } as const;
  await new DirectCall(call, side, channel).run(params);
  assert.equal(sent.length, 1);
  const { id, error } = sent[0] as { id: number; error: { code: number; message: string } };
  assert.deepEqual([id, error.code], [7, -32603]);
  assert.match(error.message, /too long/);
});
