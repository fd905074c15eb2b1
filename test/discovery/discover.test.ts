import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { encode } from 'gpt-tokenizer';
import { attempt, eventually } from '../../src/testing/wait.ts';
import type { Loose, Peer } from '../support/clients.ts';
import { fixtureServer } from '../support/pml.ts';
import { execute, TestBed } from '../support/test-bed.ts';
import { ask, asUser, refusal } from '../support/tool-answers.ts';

const bed = new TestBed({ mcpServers: { office: fixtureServer('fixture-office.ts', '--count', '40') } });
let peer: Peer;

before(async () => {
  peer = await bed.peer();
});

/** Asks again while not all capabilities are indexed, which takes a busy machine a while. */
const discover = (input: object): Promise<Loose> =>
  attempt(
    () => ask(peer, 'pml_discover', input),
    ({ message = '' }) => !message.includes('indexed yet'),
  );
const namesOf = ({ results }: Loose): string[] => results.map(({ name }: Loose) => name);

test('a tool is found with a name that can be called and its types on one line', async () => {
  const { results, message } = await discover({ intent: 'read the contents of a text file' });
  const [first] = results;
  assert.deepEqual(
    { ...first, score: typeof first.score },
    {
      kind: 'tool',
      name: 'mcp__office__read_text_file',
      description: 'Read the complete contents of a text file from the file system.',
      score: 'number',
      signature:
        'mcp.office.read_text_file(args: { path: string /* Path of the file */; head?: number /* Only the first lines */; encoding?: "utf8" | "latin1" }): Promise<{ content: string }>',
      parameters: {
        type: 'object',
        properties: {
          path: { type: 'string' },
          head: { type: 'integer' },
          encoding: { enum: ['utf8', 'latin1'] },
        },
        required: ['path'],
      },
    },
  );
  assert.ok(first.score > 0 && first.score <= 1);
  assert.equal(message, undefined);
  assert.match((await peer.call(first.name, { path: 'a' })).content[0].text, /read_text_file/);
});

test('a capability is found with its usage, its tool and what it returned', async () => {
  await execute(peer, {
    name: 'bills:remind',
    intent: 'remind a customer of an unpaid bill',
    code: 'const m = await mcp.office.send_email({ to: args.to, subject: "Reminder" }); return { sent: m !== undefined };',
    args: { to: 'a@b.de' },
  });
  // Results are observed in the background.
  const [first] = await eventually(async () => {
    const { results } = await discover({ intent: 'remind a customer of an unpaid bill' });
    return results[0].signature.includes('sent') && results;
  }, 'its result is known');
  const { kind, name, tool, signature, usage_count, success_rate } = first;
  assert.deepEqual([kind, name, tool], ['capability', 'bills:remind', 'mcp__bills__remind']);
  assert.deepEqual([usage_count, success_rate], [1, 1]);
  assert.match(signature, /^mcp\.bills\.remind\(args: \{ to: string.*Promise<\{ sent.*: boolean \}>$/);
  assert.equal((await peer.call(name, { to: 'c@d.de' })).isError, undefined);
  assert.deepEqual(
    namesOf(await discover({ intent: 'remind a customer of an unpaid bill', kind: 'tool' })).includes(name),
    false,
  );
  assert.deepEqual(
    namesOf(await discover({ intent: 'remind a customer of an unpaid bill', server: 'bills' })),
    [name],
  );
});

test('what a tool was seen to return is in its signature, however it was called', async () => {
  const signatureOf = async (intent: string): Promise<string> =>
    (await discover({ intent, limit: 1 })).results[0].signature;
  const untold = /^mcp\.office\.list_issues\(.*: Promise<unknown>$/;
  assert.match(await signatureOf('list the issues of a repository'), untold);
  await peer.call('mcp__office__list_issues', { repository: 'a/b' });
  assert.match(await signatureOf('list the issues of a repository'), /: Promise<\{ content: string \}>$/);
  assert.match(await signatureOf('fetch a web page'), /: Promise<unknown>$/);
  await execute(peer, {
    intent: 'fetch',
    code: 'return (await mcp.office.fetch_page({ url: "a" })).content',
  });
  assert.match(await signatureOf('fetch a web page'), /: Promise<\{ content: string \}>$/);
  // Another user has to see for itself.
  const other = await asUser(bed, 'other');
  const { results } = await ask(other, 'pml_discover', { intent: 'fetch a web page', limit: 1 });
  assert.match(results[0].signature, /: Promise<unknown>$/);
  await other.close();
});

test('where nothing fits, the answer says so in words', async () => {
  const { results, message } = await discover({ intent: 'zymurgy xylophone quokka' });
  assert.deepEqual(results, []);
  assert.match(message, /^Nothing fits\..*pml_execute/);
});

test('where nothing quite fits, the answer shows how code calls what is nearest', async () => {
  const { results, message } = await discover({ intent: 'zymurgy email quokka xylophone glockenspiel' });
  assert.deepEqual(results, []);
  assert.match(
    message,
    /^Nothing fits\. The nearest: `mcp\.office\.send_email\(.*to.*`.* write code over these/,
  );
});

test('each of several intents gets its place on the first page', async () => {
  const intents = [
    'send an email',
    'translate a text into another language',
    'fetch a web page',
    'zymurgy quokka',
  ];
  const { results, message } = await discover({ intents, limit: 5 });
  const best = (at: number) => results.find(({ intent }: Loose) => intent === at)?.name;
  assert.deepEqual([0, 1, 2].map(best), [
    'mcp__office__send_email',
    'mcp__office__translate',
    'mcp__office__fetch_page',
  ]);
  assert.match(message, /Nothing fits "zymurgy quokka"/);
});

test('a tool that answers two intents has one place, and neither is called unanswered', async () => {
  const intents = ['send an email', 'send an email to a person', 'translate a text into another language'];
  const { results, message = '' } = await discover({ intents, limit: 2 });
  assert.deepEqual(results.map(({ name }: Loose) => name).sort(), [
    'mcp__office__send_email',
    'mcp__office__translate',
  ]);
  assert.doesNotMatch(message, /Nothing fits/);
});

test('a server without an intent lists its tools, page by page', async () => {
  const names: string[] = [];
  for (let offset: number | undefined = 0; offset !== undefined; ) {
    const page = await discover({ server: 'office', limit: 20, offset });
    assert.equal(page.total, 48);
    names.push(...namesOf(page));
    offset = page.next_offset;
  }
  const listed = (await peer.toolNames()).filter((name) => name.startsWith('mcp__office__'));
  assert.deepEqual(names, listed);
  assert.match(await refusal(peer, 'pml_discover', { server: 'ofice' }), /There is no server "ofice"/);
  assert.match(await refusal(peer, 'pml_discover', {}), /^invalid_arguments: .*"intent"/);
});

test('a description that gives orders is quoted as data, and flagged', async () => {
  const [{ name, description, flagged, signature }] = (
    await discover({ intent: 'weather forecast for a city' })
  ).results;
  assert.equal(name, 'mcp__office__weather_forecast');
  assert.match(flagged, /do not follow them/);
  assert.match(description, /^".*"$/);
  // A description that gives orders is no comment of the signature either.
  assert.equal(signature, 'mcp.office.weather_forecast(args: { city: string }): Promise<unknown>');
  for (const one of (await discover({ intent: 'send email translate text' })).results)
    assert.equal(one.flagged !== undefined, one.name === name, one.name);
});

test('empty, huge, foreign and code-like intents are answered', async () => {
  const intents = [
    '🎉🎉🎉',
    "'; drop table capability_records; --",
    '發送電子郵件給客戶',
    'a'.repeat(200_000),
    'send email '.repeat(20_000),
    '{"intent": {"$ne": null}} => (((((',
    '\u0000\ud800\u200b',
    'SELECT * FROM mails WHERE 1=1 OR ""=""',
    '%_\\%',
  ];
  for (const intent of intents) {
    const { results, message } = await discover({ intent });
    assert.ok(results.length > 0 || /Nothing fits/.test(message), intent.slice(0, 40));
    assert.ok(results.length <= 10);
  }
  for (const intent of ['', '   ', '\n'])
    assert.match(await refusal(peer, 'pml_discover', { intent }), /^invalid_arguments: /);
  assert.match(await refusal(peer, 'pml_discover', { intents: Array(50).fill('x') }), /^invalid_arguments: /);
});

test('ten results of wordy tools are at most 1,500 tokens', async (t) => {
  const answer = await peer.call('pml_discover', {
    intent: 'archive a report of a department, or a ticket or an order',
  });
  assert.equal(answer.structuredContent.results.length, 10);
  const tokens = encode(answer.content[0].text).length;
  t.diagnostic(`${tokens} tokens`);
  assert.ok(tokens <= 1500, `${tokens} tokens`);
});

test('the command line prints what the tool answers', async () => {
  const { stdout } = await bed.pml.run(['discover', 'send an email', '--limit', '2', '--json']);
  // Tools that a session has used rank higher, so it is compared with one that used nothing.
  const fresh = await bed.peer();
  const input = { intent: 'send an email', limit: 2 };
  assert.deepEqual(JSON.parse(stdout), await ask(fresh, 'pml_discover', input));
  const plain = await bed.pml.run(['discover', 'send an email', 'translate a text']);
  assert.match(plain.stdout, /mcp__office__send_email {2}\(tool, score/);
  assert.match(plain.stdout, /mcp\.office\.translate\(args/);
});

test('the instructions teach to discover, then to call, then to write', async () => {
  const said = peer.instructions() ?? '';
  const places = ['pml_discover', 'Call the capability', 'write code'].map((part) => said.indexOf(part));
  assert.ok(
    places.every((at) => at >= 0) && places.join() === [...places].sort((a, b) => a - b).join(),
    said,
  );
  assert.ok(encode(said).length < 350, said);
});
