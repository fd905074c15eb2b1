import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { eventually } from '../../src/testing/wait.ts';
import type { Loose, Peer } from '../support/clients.ts';
import { fixtureServer } from '../support/pml.ts';
import { answerOf, execute, TestBed } from '../support/test-bed.ts';
import { ask, asUser } from '../support/tool-answers.ts';

const bed = new TestBed({ mcpServers: { office: fixtureServer('fixture-office.ts') } });
let peer: Peer;

before(async () => {
  peer = await asUser(bed, 'ana');
});

const find = ({ suggestions }: Loose, name: string): Loose =>
  suggestions.find((one: Loose) => one.name === name);

test('a suggestion has a call that can be sent, with the arguments that the intent states', async () => {
  const cases: [intent: string, tool: string, args: object, missing?: string[]][] = [
    [
      'read the first 20 lines, head 20, of the text file notes/today.md',
      'read_text_file',
      { path: 'notes/today.md', head: 20 },
    ],
    [
      'send an email to eve@example.org with subject "Lunch at noon"',
      'send_email',
      { to: 'eve@example.org', subject: 'Lunch at noon' },
    ],
    ['fetch the web page https://example.org/a?b=c.', 'fetch_page', { url: 'https://example.org/a?b=c' }],
    ['create an invoice for "Globex" over 120.5', 'create_invoice', { customer: 'Globex', amount: 120.5 }],
    ['list the open issues of a repository', 'list_issues', { state: 'open' }, ['repository']],
    ['translate a text into another language', 'translate', {}, ['text', 'language']],
    [
      'create an invoice for "ghp_0123456789abcdefghijABCDEFGHIJ012345"',
      'create_invoice',
      {},
      ['customer', 'amount'],
    ],
  ];
  for (const [intent, tool, args, missing] of cases) {
    const { call, missing: open } = find(await answerOf(peer, { intent }), `mcp__office__${tool}`);
    assert.deepEqual(call, { name: `mcp__office__${tool}`, arguments: args }, intent);
    assert.deepEqual(open, missing, intent);
    if (!missing) assert.equal((await peer.call(call.name, call.arguments)).isError, undefined);
  }
});

test('one capability that does what the intent says is a clear match, and a near miss is none', async () => {
  const code = 'return await mcp.office.create_invoice({ customer: args.customer, amount: args.amount })';
  const intent = 'bill a customer for a support hour';
  await execute(peer, { name: 'bills:support', intent, code, args: { customer: 'Hooli', amount: 1 } });
  const { clear_match: match, suggestions } = await answerOf(peer, {
    intent: 'bill customer "Initech" for a support hour',
  });
  assert.deepEqual(match, {
    name: 'bills:support',
    call: { name: 'mcp__bills__support', arguments: { customer: 'Initech' } },
    missing: ['amount'],
  });
  assert.equal(suggestions[0].name, 'bills:support');
  // Its call is all that is needed: the answer says little about the others.
  assert.ok(suggestions.length <= 2, `${suggestions.length} suggestions`);
  assert.ok(suggestions.every(({ call }: Loose) => call === undefined));
  assert.equal((await peer.call(match.call.name, { ...match.call.arguments, amount: 2 })).isError, undefined);
  for (const near of ['refund a customer for a support hour', 'bill a supplier for a support hour', 'bill'])
    assert.equal((await answerOf(peer, { intent: near })).clear_match, undefined, near);
});

test('tools that successful runs use together are suggested together', async () => {
  const code = `const page = await mcp.office.fetch_page({ url: args.url });
    return await mcp.office.write_file({ path: args.path, content: JSON.stringify(page) });`;
  await execute(peer, { intent: 'save it', code, args: { url: 'https://a.example', path: 'a.md' } });
  const { suggestions } = await answerOf(peer, { intent: 'fetch web page as markdown' });
  const partner = suggestions.find(({ because }: Loose) => because);
  assert.equal(partner.name, 'mcp__office__write_file');
  assert.equal(partner.because, 'often used together with mcp__office__fetch_page');
  // Private runs of others are no reason.
  const ben = await asUser(bed, 'ben');
  const theirs = await answerOf(ben, { intent: 'fetch web page as markdown' });
  assert.ok(!JSON.stringify(theirs).includes('because'));
});

test('code with the intent of a capability is answered with its call first', async () => {
  const made = { name: 'mail:greet', intent: 'greet a new colleague by email' };
  await execute(peer, {
    ...made,
    code: 'return await mcp.office.send_email({ to: args.to, subject: "Hello" })',
    args: { to: 'a@b.de' },
  });
  const code = `const to = args.to;
    const sent = await mcp.office.send_email({ to, subject: "Hi " + to });
    return [sent, await mcp.office.send_email({ to, subject: "Again" })];`;
  const intent = 'greet the new colleague zoe@example.org by email';
  const answer = await execute(peer, { intent, code, args: { to: 'zoe@example.org' } });
  assert.equal(Object.keys(answer)[0], 'warnings');
  assert.equal(
    answer.warnings[0],
    '"mail:greet" is remembered for this intent. Next time call it instead of writing code: pml_execute({"intent":"use mail:greet","capability":"mail:greet","args":{"to":"zoe@example.org"}})',
  );
  const other = await execute(peer, {
    intent: 'warn the new colleague by email',
    code: code.replace('Hi ', 'Ho '),
    args: { to: 'a@b.de' },
  });
  assert.ok(!JSON.stringify(other.warnings ?? []).includes('mail:greet" is remembered'));
});

test('a program that PML proposes is shown where its tools are found', async () => {
  for (const n of [1, 2, 3]) {
    const cy = await asUser(bed, 'cy');
    const { content } = await cy.call('office:read_text_file', { path: `in-${n}.txt` });
    await cy.call('office:translate', { text: JSON.parse(content[0].text).content, language: 'French' });
    await cy.close();
  }
  const cy = await asUser(bed, 'cy');
  const intent = 'read a text file and translate the text into another language';
  const proposals = async () => (await ask(cy, 'pml_discover', { intent })).proposals;
  const [proposed] = await eventually(proposals, 'a proposal is shown');
  assert.equal(proposed.calls, 'office:read_text_file → office:translate');
  assert.match(proposed.code, /mcp\.office\.translate/);
  assert.equal((await ask(peer, 'pml_discover', { intent })).proposals, undefined, 'they are of another');
});
