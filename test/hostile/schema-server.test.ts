import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { jsonFits } from '../../src/json-size.ts';
import type { Loose, Peer } from '../support/clients.ts';
import { fixtureServer } from '../support/pml.ts';
import { answerOf, execute, TestBed } from '../support/test-bed.ts';
import { SCHEMAS } from './schemas/attacks.ts';

const MB = 1024 * 1024;
/** Larger lists block the event loop while they are parsed; no server can write deeper ones. */
const OFFERED = Object.entries(SCHEMAS).filter(([, schema]) => jsonFits(schema, MB / 4));
const TOOLS = Object.fromEntries(OFFERED.map(([, schema], index) => [`tool_${index}`, schema]));
const NAMES = Object.keys(TOOLS);

describe('a server that offers hostile schemas', () => {
  const bed = new TestBed({});
  let peer: Peer;

  before(async () => {
    const state = join(bed.pml.dir, 'tools.json');
    writeFileSync(state, JSON.stringify(TOOLS));
    bed.pml.configure({
      mcpServers: { evil: fixtureServer('fixture-shift.ts', '--state', state) },
    });
    peer = await bed.peer('SDK v2 legacy', 'HTTP');
  });

  /** Asserts that an answer is small and no internal error. */
  async function asked(what: string, act: () => Promise<Loose>): Promise<Loose> {
    const answer = await act().catch((error: Error & { code?: number }) =>
      assert.fail(`${what}: ${error.code} ${error.message.slice(0, 200)}`),
    );
    assert.ok(JSON.stringify(answer).length < MB, `${what}: ${JSON.stringify(answer).length} characters`);
    return answer;
  }

  test('its tools are listed, each with an object that a client can take', async () => {
    const tools = await peer.list('tools/list', 'tools');
    for (const name of NAMES) {
      const tool = tools.find((one: Loose) => one.name.endsWith(name));
      assert.equal(tool?.inputSchema.type, 'object', name);
      assert.ok(JSON.stringify(tool).length < MB / 2, name);
    }
  });

  test('its tools can be called directly and from code, and the learned capabilities too', async () => {
    for (const name of NAMES) {
      await asked(`call ${name}`, () => peer.call(`evil:${name}`, { a: 'x' }));
      // An object that is written out would be refused where a tool certainly takes none.
      const code = `const r = await mcp.evil.${name}({ a: args.a, p0: args.c ?? { p1: args.b } }); return r.tool`;
      const learned = await asked(`learn ${name}`, () =>
        execute(peer, { name: `evil_${name}:use`, code, args: { a: 1, b: 'y' } }),
      );
      assert.equal(learned.result, name);
      assert.equal(learned.warnings, undefined, `${name}: ${learned.warnings}`);
      for (const given of [{ a: 1, b: 'y' }, { a: 'z'.repeat(50) }, {}])
        await asked(`use ${name}`, () => answerOf(peer, { capability: `evil_${name}:use`, args: given }));
      await asked(`whois ${name}`, () => peer.call('cap_whois', { name: `evil_${name}:use` }));
    }
  });

  test('a capability over a tool of an unknown type works more than once', async () => {
    const index = OFFERED.findIndex(([what]) => what === 'unknown types');
    const input = { capability: `evil_tool_${index}:use`, args: { a: 1, b: 'z' } };
    for (let times = 0; times < 3; times += 1)
      assert.equal((await execute(peer, input)).result, `tool_${index}`);
  });

  test('errors for wrong arguments of its tools stay small', async () => {
    const keys = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`unknown_key_${i}`, i]));
    const { isError, content } = await peer.call('cap_whois', { name: 'x', ...keys });
    assert.ok(isError && content[0].text.length < 4000, content[0].text.slice(0, 200));
  });

  test('suggestions stay small', async () => {
    const { suggestions } = await asked('suggestions', () => answerOf(peer, { intent: 'use evil tool' }));
    assert.ok(suggestions.length > 0 && suggestions.length <= 10, `${suggestions.length} suggestions`);
  });

  test('a change of all its tools is checked for drift while others are served', async () => {
    const shifted = Object.fromEntries(
      NAMES.map((name, index) => [name, TOOLS[NAMES.at(index - 1) as string]]),
    );
    await peer.call('evil:shift', { tools: shifted });
    const code = `return await mcp.evil.${NAMES[0]}({})`;
    await answerOf(peer, { code });
    await asked('the list', () =>
      peer.request('tools/list', {}).then(({ tools }) => ({ count: tools.length })),
    );
  });
});
