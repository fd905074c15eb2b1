import assert from 'node:assert/strict';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Loose, Peer } from '../support/clients.ts';
import { fixtureServer, npmServer } from '../support/pml.ts';
import { answerOf, execute, TestBed } from '../support/test-bed.ts';
import { ask, asUser } from '../support/tool-answers.ts';
import { ACCEPTED, REFUSED, write } from './programs-of-models.ts';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'pml-programs-')));
const bed = new TestBed({
  mcpServers: {
    filesystem: npmServer('filesystem', folder),
    office: fixtureServer('fixture-office.ts'),
    work: fixtureServer('fixture-work.ts'),
  },
});
let peer: Peer;

after(() => rmSync(folder, { recursive: true, force: true }));

before(async () => {
  writeFileSync(join(folder, 'a.txt'), 'alpha');
  writeFileSync(join(folder, 'b.json'), '{"n":7}');
  peer = await bed.peer();
  await execute(peer, { name: 'text:upper', code: 'return args.text.toUpperCase()', args: { text: 'a' } });
  await execute(peer, {
    name: 'text:of_file',
    code: 'return (await mcp.filesystem.read_text_file({ path: args.path })).content.toUpperCase()',
    args: { path: join(folder, 'a.txt') },
  });
  await execute(peer, {
    name: 'lower:file',
    code: `return (await mcp.filesystem.read_text_file({ path: "${folder}/a.txt" })).content.toLowerCase()`,
  });
  await execute(peer, {
    name: 'try:refuse',
    code: 'return args.why === "" ? "nothing to refuse" : await mcp.work.refuse({ why: args.why })',
    args: { why: '' },
  });
});

/** The input of pml_execute, with the folder of this run. */
function inputOf(send: string | object): object {
  const input = typeof send === 'string' ? { code: send } : send;
  return JSON.parse(JSON.stringify(input).replaceAll('/dir/', `${folder}/`));
}

const remembered = new Map<string, Set<string>>();

describe('code that is accepted', () => {
  for (const { title, send, result, warning, group } of ACCEPTED) {
    test(title, async () => {
      const answer = await execute(peer, inputOf(send));
      assert.deepEqual(answer.result, result);
      if (warning) assert.match((answer.warnings ?? []).join('\n'), warning);
      if (group === undefined) return;
      assert.equal(typeof answer.capabilityName, 'string', JSON.stringify(answer));
      const names = remembered.get(group) ?? new Set();
      remembered.set(group, names.add(answer.capabilityName));
    });
  }

  test('spellings of one program are remembered as one capability', () => {
    for (const [group, names] of remembered) assert.equal(names.size, 1, `${group}: ${[...names]}`);
  });
});

describe('code that is refused or fails, and what its error says to send instead', () => {
  for (const { title, send, error, mend, next = write, nextResult } of REFUSED) {
    test(title, async () => {
      const answer = await answerOf(peer, inputOf(send));
      assert.equal(answer.status, 'error', JSON.stringify(answer));
      const { code, message, hint = '' } = answer.error as Loose;
      const text = `${code}: ${message} ${hint}`;
      for (const part of error ?? []) assert.match(text, part);
      assert.ok(text.length < 3000, text);
      if (mend) writeFileSync(join(folder, mend), 'late');
      const { tool, input } = toolCall(next(text));
      if (tool !== 'pml_execute') return void (await ask(peer, tool, input));
      const { result } = await execute(peer, input);
      if (nextResult !== undefined) assert.deepEqual(result, nextResult, JSON.stringify(input));
    });
  }

  test('nothing that was refused before it ran has left a trace', async () => {
    const { result } = await execute(peer, { code: 'return await mcp.work.kept()' });
    assert.ok(!result.includes('must not run'), JSON.stringify(result));
  });
});

test('the new code of a capability is accepted and refused in the same way', async () => {
  const update = (code: string, args = {}) => ask(peer, 'cap_update', { name: 'text:upper', code, args });
  const { version } = await update('```ts\nconst upper = args.text.toUpperCase();\nupper\n```', {
    text: 'b',
  });
  assert.equal(version, 2);
  assert.equal((await execute(peer, { capability: 'text:upper', args: { text: 'c' } })).result, 'C');
  const wrong = 'return await mcp__filesystem__read_text_file({ file: args.text })';
  const refused = await peer.call('cap_update', { name: 'text:upper', code: wrong });
  assert.match(
    refused.structuredContent.error.message,
    /read_text_file takes .*; you gave file \(line 1, column 14\)/,
  );
});

test('an error shows no secret that was passed before it, and to others nothing that was passed', async () => {
  const token = `ghp_${'a1B2'.repeat(9)}`;
  const code = `await mcp.work.repos({ owner: "acme", token: "${token}" });
    await mcp.work.keep({ item: "${token}" });
    return await mcp.work.refuse({ why: "no ${token}", password: "hunter2hunter2" })`;
  const { error } = await answerOf(peer, { code });
  assert.match(error.message, /^mcp\.work\.refuse\(\{ why: "no .*, password: .* \}\) failed: /);
  assert.match(error.hint, /Already done: .*mcp\.work\.keep\(/);
  const [call] = error.message.split(' failed: ');
  for (const secret of [token, 'hunter2']) assert.ok(!`${call} ${error.hint}`.includes(secret), error.hint);
  await ask(peer, 'cap_rename', { name: 'try:refuse', visibility: 'project' });
  const ben = await asUser(bed, 'ben');
  const failed = await answerOf(ben, { capability: 'try:refuse', args: { why: 'closed' } });
  assert.match(failed.error.message, /^Capability "try:refuse" failed: mcp\.work\.refuse failed: closed/);
});

/** The call of a tool that a correction stands for: of pml_execute, unless it says another. */
function toolCall(corrected: string | object): { tool: string; input: object } {
  return typeof corrected === 'object' && 'tool' in corrected
    ? (corrected as { tool: string; input: object })
    : { tool: 'pml_execute', input: inputOf(corrected) };
}

test('there are at least sixty programs', () => {
  assert.ok(ACCEPTED.length + REFUSED.length >= 60, `${ACCEPTED.length + REFUSED.length}`);
  // A correction is made of the error's text.
  for (const { title, next = write } of REFUSED) assert.equal(next.length, 1, title);
});
