import assert from 'node:assert/strict';
import type { Principal } from '../../principal.ts';
import { Redactor } from '../../secrets/index.ts';
import { onBothEngines } from '../../store/testing.ts';
import { MAX_MESSAGE, type ThreadMessage } from './message.ts';
import { StoredThreads } from './stored-threads.ts';

const ana: Principal = { user: 'ana', org: 'local', project: 'default' };
const SECRET = 'a-secret-of-the-config';

const user = (text: string): ThreadMessage => ({ role: 'user', text });

function code(error: unknown): string {
  return (error as { code: string }).code;
}

onBothEngines('a thread keeps messages of any letters, in their order, without secrets', async ({ db }) => {
  const threads = new StoredThreads(db, ana, new Redactor([SECRET]));
  const { id, agent, createdAt } = await threads.open('analyst');
  assert.equal(agent, 'analyst');
  assert.ok(createdAt instanceof Date);
  const calls = [
    { id: 'c', name: 'mcp__fs__read', input: { path: `/${SECRET}/\0`, password: 'hunter2hunter2' } },
  ];
  const messages: ThreadMessage[] = [
    user(`\0 \ud800 "${SECRET}" \\u0000 😀`),
    { role: 'assistant', text: '', calls },
    { role: 'tool', id: 'c', name: 'mcp__fs__read', text: `read ${SECRET}`, isError: false },
  ];
  await threads.append(id, 0, messages.slice(0, 1));
  await threads.append(id, 1, messages.slice(1), { inputTokens: 5, outputTokens: 2, costUsd: 0.5 });
  const read = await threads.read(id);
  assert.deepEqual(
    read.map(({ role }) => role),
    ['user', 'assistant', 'tool'],
  );
  // Large messages are redacted elsewhere, by the same rules.
  const redactor = new Redactor([SECRET]);
  redactor.hideRecent(['learnt-of-a-run']);
  const large = `${'x'.repeat(20_000)} ${SECRET} learnt-of-a-run`;
  await new StoredThreads(db, ana, redactor).append(id, 3, [user(large)]);
  const [stored] = await threads.readPage(id, 3);
  assert.match(stored?.text as string, /^x{20000} /);
  assert.doesNotMatch(stored?.text as string, /a-secret-of|learnt-of/);
  const text = JSON.stringify(read);
  assert.ok(!text.includes(SECRET) && !text.includes('hunter2'), text);
  assert.match(read[0]?.text as string, /^\0 \ud800 ".*" \\u0000 😀$/);
  const { rows } = await db.query(
    `select messages, input_tokens, output_tokens, cost_usd from agent_threads where id = $1`,
    [id],
  );
  assert.deepEqual(rows, [{ messages: 4, input_tokens: 5, output_tokens: 2, cost_usd: 0.5 }]);
});

onBothEngines('nobody else reads a thread, adds to it, or learns that it is there', async ({ db }) => {
  const threads = new StoredThreads(db, ana, new Redactor());
  const { id } = await threads.open('analyst');
  await threads.append(id, 0, [user('mine')]);
  const others = [
    { ...ana, user: 'ben' },
    { ...ana, org: 'other' },
    { ...ana, project: 'other' },
  ].map((who) => new StoredThreads(db, who, new Redactor()));
  for (const theirs of others) {
    const acts = [
      (thread: string) => theirs.open('analyst', thread),
      (thread: string) => theirs.read(thread),
      (thread: string) => theirs.append(thread, 1, [user('not mine')]),
    ];
    for (const act of acts)
      for (const thread of [id, crypto.randomUUID(), 'no-id', "' or 1=1"])
        await assert.rejects(act(thread), (error: Error) => {
          assert.equal(code(error), 'thread_not_found');
          assert.equal(error.message, `There is no thread "${thread}".`);
          return true;
        });
  }
  await assert.rejects(threads.open('other', id), /is one of agent "analyst", not of "other"/);
  assert.deepEqual(await threads.read(id), [user('mine')]);
});

onBothEngines(
  'of runs that go on with a thread at once, one does, and the others are told',
  async ({ db, again }) => {
    const { id } = await new StoredThreads(db, ana, new Redactor()).open('analyst');
    const handles = await Promise.all(Array.from({ length: 4 }, again));
    const outcomes = await Promise.all(
      handles.map((handle, at) =>
        new StoredThreads(handle, ana, new Redactor())
          .append(id, 0, [user(`run ${at}`)])
          .then(() => 'appended', code),
      ),
    );
    assert.deepEqual(outcomes.toSorted(), ['appended', 'thread_changed', 'thread_changed', 'thread_changed']);
    const messages = await new StoredThreads(db, ana, new Redactor()).read(id);
    assert.deepEqual(messages, [user(`run ${outcomes.indexOf('appended')}`)]);
  },
);

onBothEngines('a long thread is read in pages, and a full one takes no more', async ({ db }) => {
  const threads = new StoredThreads(db, ana, new Redactor());
  const { id } = await threads.open('analyst');
  const long = Array.from({ length: 5 }, (_, at) => user(`${at}${'x'.repeat(MAX_MESSAGE - 1)}`));
  const short = Array.from({ length: 250 }, (_, at) => user(`short ${at}`));
  await threads.append(id, 0, long);
  await threads.append(id, 5, short);
  assert.deepEqual((await threads.readPage(id, 0)).length, 3);
  assert.deepEqual((await threads.readPage(id, 5)).length, 100);
  assert.deepEqual(await threads.read(id), [...long, ...short]);
  await db.query(`update agent_threads set characters = 19999999 where id = $1`, [id]);
  await assert.rejects(threads.append(id, 255, [user('one more')]), /is full/);
  assert.equal((await threads.read(id)).length, 255);
});
