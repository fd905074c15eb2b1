/**
 * Hands secrets to tools by every way that a program has, through a real session. Then searches everything that PML stores,
 * logs, exports and shows for them.
 */
import assert from 'node:assert/strict';
import { randomBytes, randomInt } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { runs } from '../../src/testing/effort.ts';
import type { Loose, Peer } from '../support/clients.ts';
import { LIFTED, REFUSED, type Sink } from '../support/indirect-secrets.ts';
import { fixtureServer } from '../support/pml.ts';
import { answerOf, execute, onEachStore, type TestBed } from '../support/test-bed.ts';
import { ask } from '../support/tool-answers.ts';

const word = () => `z9${randomBytes(8).toString('hex')}`;
const digits = (count: number) => Array.from({ length: count }, () => randomInt(10)).join('');

/** A card number that no shop would refuse. */
function cardNumber(): string {
  const start = `4${digits(14)}`;
  const sum = [...start].reduce((total, digit, at) => {
    const value = Number(digit) * (at % 2 === 0 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return `${start}${(10 - (sum % 10)) % 10}`;
}

/** Each kind of secret: its text, whether code writes it as a number, and the call that takes it. */
// biome-ignore format: a table
const KINDS: Record<string, { text: () => string; isNumber?: true; use: Sink['use'] }> = {
  'a password': { text: word, use: (x) => `mcp.vault.login({ username: "ana", password: ${x} })` },
  'a PIN': { text: () => `8${digits(9)}`, isNumber: true, use: (x) => `mcp.vault.pay({ amount: 5, pin: ${x} })` },
  'a card number': { text: cardNumber, isNumber: true, use: (x) => `mcp.vault.pay({ amount: 6, card: { card_number: ${x} } })` },
  'a one-time code': { text: () => `7${digits(8)}`, use: (x) => `mcp.vault.login({ username: "ben", verification_code: ${x} })` },
  'a header': { text: word, use: (x) => `mcp.vault.request({ url: "https://x.example/", headers: { Authorization: "Bearer " + (${x}) } })` },
  'a schema': { text: word, use: (x) => `mcp.vault.enter({ x: ${x} })` },
  'a flag': { text: word, use: (x) => `mcp.vault.run({ argv: ["deploy", "--password", ${x}] })` },
  'a list of headers': { text: word, use: (x) => `mcp.vault.request({ url: "https://y.example/", headers: { all: [{ name: "X-Api-Key", value: ${x} }] } })` },
};

/** A recording holds `[hidden]` for the secret, which is no number in JSON, and no word. */
const UNREPLAYABLE = new Set(['JSON in a text', 'a match']);

/** Runs of more calls or larger ones than are recorded. */
const UNRECORDED = new Set(['after many calls', 'before a large call']);

onEachStore({ mcpServers: { vault: fixtureServer('fixture-vault.ts') } }, (bed) => {
  bed.pml.env.PML_LOG = 'debug';
  /** Every secret that was sent, with its way in. */
  const secrets = new Map<string, string>();
  const kept: string[] = [];
  const replayable = new Set<string>();
  let peer: Peer;

  before(async () => {
    peer = await bed.peer();
  });

  const kinds = Object.entries(KINDS);
  /** Each way gets a few kinds, others than its neighbours; with more effort it gets all. */
  const kindsFor = (index: number) => {
    const count = bed.onPostgres ? 1 : Math.min(kinds.length, runs(2).numRuns);
    return Array.from(
      { length: count },
      (_, at) => kinds[(index + at * 3) % kinds.length] as (typeof kinds)[0],
    );
  };

  const sinkOf = (way: string, kind: (typeof kinds)[0]): Sink => {
    const [name, { text: make, isNumber, use }] = kind;
    const text = make();
    secrets.set(text, `${way}, ${name}`);
    return { text, literal: isNumber ? text : `"${text}"`, use };
  };

  test('a secret that stands in a literal becomes a parameter', async () => {
    for (const [index, [way, program]] of Object.entries(LIFTED).entries()) {
      for (const [which, kind] of kindsFor(index).entries()) {
        const sink = sinkOf(way, kind);
        const name = `way:w${index}_${which}`;
        const code = program(sink);
        const answer = await execute(peer, { code, name, intent: `log in with ${sink.text} by ${way}` });
        // Ways that differ in types alone are one capability.
        assert.ok(answer.capabilityName, `${way}, ${kind[0]}: ${code}: ${answer.warnings}`);
        if (answer.capabilityName === name) kept.push(name);
        // The run was replayed with its secret before the secret was forgotten.
        const { verified } = await ask(peer, 'cap_whois', { name: answer.capabilityName });
        assert.equal(verified, !UNRECORDED.has(way), `${way}, ${kind[0]}: ${code}`);
        if (!UNREPLAYABLE.has(way)) replayable.add(answer.capabilityName);
      }
    }
  });

  test('a secret that the code builds keeps the code from being stored', async () => {
    for (const [index, [way, program]] of Object.entries(REFUSED).entries()) {
      for (const kind of kindsFor(index)) {
        const sink = sinkOf(way, kind);
        const answer = await execute(peer, { code: program(sink), intent: `log in with ${sink.text}` });
        const what = `${way}, ${kind[0]}: ${program(sink)}: ${JSON.stringify(answer)}`;
        assert.equal(answer.capabilityName, undefined, what);
        assert.match(answer.warnings[0], /not remembered.*vault:\w+ .*write args\.\w+ in its place/, what);
      }
    }
  });

  test('a secret in args is a secret in the code, too', async () => {
    const sink = sinkOf('args and a literal', kinds[0] as (typeof kinds)[0]);
    const code = `const other = "${sink.text}"; await ${sink.use('args.password')}; return other.length > 3`;
    const { capabilityName } = await execute(peer, { code, name: 'way:args', args: { password: sink.text } });
    assert.equal(capabilityName, 'way:args');
    kept.push('way:args');
    replayable.add('way:args');
  });

  test('a secret goes through another capability', async () => {
    const sink = sinkOf('a capability', kinds[0] as (typeof kinds)[0]);
    await execute(peer, {
      code: `return await ${sink.use('args.x')}`,
      name: 'way:inner',
      args: { x: sink.text },
    });
    const outer = sinkOf('an outer capability', kinds[0] as (typeof kinds)[0]);
    const { capabilityName } = await execute(peer, {
      code: `const y = { z: "${outer.text}" }; return await mcp.way.inner({ x: y.z })`,
      name: 'way:outer',
    });
    assert.equal(capabilityName, 'way:outer');
    const built = sinkOf('an outer capability that builds it', kinds[0] as (typeof kinds)[0]);
    const { warnings } = await execute(peer, {
      code: `return await mcp.way.inner({ x: atob("${btoa(built.text)}") })`,
    });
    assert.match(warnings[0], /not remembered/);
    kept.push('way:outer');
  });

  test('a result makes a literal secret', async () => {
    const sink = sinkOf('a result', kinds[0] as (typeof kinds)[0]);
    const seed = [...sink.text].reverse().join('');
    const code = `const { token } = await mcp.vault.issue({ seed: args.seed }); return token === "${sink.text}"`;
    const { result, capabilityName } = await execute(peer, { code, name: 'way:result', args: { seed } });
    assert.deepEqual([result, capabilityName], [true, 'way:result']);
  });

  test('runs fail with secrets', async () => {
    const [password, pin] = [kinds[0], kinds[1]] as [(typeof kinds)[0], (typeof kinds)[0]];
    const fail = async (way: string, kind: (typeof kinds)[0], program: (sink: Sink) => string) => {
      const sink = sinkOf(`failure: ${way}`, kind);
      const answer = await answerOf(peer, { code: program(sink), intent: `fail with ${sink.text}` });
      assert.equal(answer.status, 'error', way);
    };
    for (const kind of [password, pin]) {
      const key = kind === pin ? 'pin' : 'password';
      const quote = (tool: string) => (sink: Sink) =>
        `const f = (q) => mcp.vault.${tool}({ ${key}: q }); return await f(${sink.literal})`;
      await fail('refused', kind, quote('refuse'));
      await fail('exploded', kind, quote('explode'));
      await fail(
        'thrown after a call',
        kind,
        ({ literal, use }) => `const q = ${literal}; await ${use('q')}; throw new Error("no " + q)`,
      );
      await fail(
        'thrown before a call',
        kind,
        ({ literal }) => `const ${key} = ${literal}; throw new Error("no " + ${key})`,
      );
      await fail(
        'thrown in a function',
        kind,
        ({ literal }) => `const f = (u, ${key}) => { throw new Error("no " + ${key}) }; f("ana", ${literal})`,
      );
      await fail(
        'a syntax error',
        kind,
        ({ literal, use }) => `const ${key} = ${literal}; await ${use(key)} ++ ;`,
      );
      await fail(
        'an unknown tool',
        kind,
        ({ literal }) => `const ${key} = ${literal}; await mcp.vault.nothing({ ${key} })`,
      );
    }
  });

  test('texts that follow a run quote its secret', async () => {
    const [way] = kept;
    const sink = sinkOf('later texts', kinds[0] as (typeof kinds)[0]);
    await execute(peer, {
      code: `const q = ${sink.literal}; return { later: await ${sink.use('q')} }`,
      name: 'way:later',
    });
    await peer.call('cap_rename', { name: 'way:later', description: `logs in with ${sink.text}` });
    const code = 'return await mcp.vault.login({ username: "x", password: args.p })';
    await peer.call('cap_update', { name: 'way:later', code, change_summary: `was ${sink.text}` });
    for (const refused of [
      await peer.call('cap_rename', { name: 'way:later', tags: [sink.text] }),
      await peer.call('cap_rename', { name: 'way:later', new_name: `x:${sink.text}` }),
      await peer.call('cap_fork', { source: way, name: `x:${sink.text}` }),
    ])
      assert.equal(refused.isError, true);
    const named = sinkOf('the name of its run', kinds[0] as (typeof kinds)[0]);
    const answer = await execute(peer, {
      code: `return await ${named.use(named.literal)}`,
      name: `x:${named.text}`,
    });
    assert.match(answer.warnings[0], /not remembered: The name holds/);
  });

  test('code that is stored untried is searched, too', async () => {
    const sink = sinkOf('an untried update', kinds[0] as (typeof kinds)[0]);
    const code = `const go = (u, q) => ${sink.use('q')}; return await go("ana", ${sink.literal})`;
    const updated = await peer.call('cap_update', { name: 'way:later', code });
    assert.equal(updated.isError, undefined, JSON.stringify(updated.structuredContent));
    const merged = sinkOf('merged code', kinds[0] as (typeof kinds)[0]);
    const name = 'way:merged';
    const own = `const go = (u, q) => ${merged.use('q')}; return await go("ana", ${merged.literal})`;
    const { isError } = await peer.call('cap_merge', {
      sources: ['way:inner', 'way:outer'],
      name,
      code: own,
    });
    assert.equal(isError, undefined);
    kept.push('way:later', name);
  });

  test('what was kept passes its replay, and runs with the secret as an argument', async () => {
    for (const name of replayable) {
      const { structuredContent } = await peer.call('cap_verify', { name });
      // The largest runs are not recorded.
      if (structuredContent.runs.length > 0)
        assert.equal(structuredContent.verified, true, JSON.stringify([name, structuredContent]));
    }
    const { structuredContent } = await peer.call('way:args', { password: 'another-one-9', other: 'x' });
    assert.equal(structuredContent?.status, undefined, JSON.stringify(structuredContent));
  });

  test('no answer shows a secret', async () => {
    const shown: unknown[] = [];
    for (const name of kept)
      for (const tool of ['cap_whois', 'cap_history', 'cap_lookup'])
        shown.push(await peer.call(tool, { name }));
    shown.push(await peer.call('cap_stats', {}), await peer.call('cap_list', { limit: 1000 }));
    shown.push(await peer.list('tools/list', 'tools'));
    const text = JSON.stringify(shown);
    assert.match(text, /way:w0_0/);
    assertNone(text, 'an answer');
  });

  test('no bundle, skill, file, log line or row holds a secret', async () => {
    for (const args of [
      ['--out', 'all.json'],
      ['--format', 'skill', '--out', 'skills'],
    ]) {
      const { code, stderr } = await bed.pml.run(['export', ...args]);
      assert.equal(code, 0, stderr);
    }
    await searchTables(bed);
    await bed.pml.run(['down']);
    const files = filesIn(bed.pml.dir);
    assert.ok(
      files.some((file) => file.endsWith('pml.log') && readFileSync(file, 'latin1').includes('login got')),
    );
    assert.ok(files.some((file) => file.endsWith('SKILL.md')));
    for (const file of files) assertNone(readFileSync(file, 'latin1'), file);
  });

  async function searchTables({ rows }: TestBed): Promise<void> {
    const query = rows.bind(bed);
    const tables = await query(
      `select table_name as name from information_schema.tables where table_schema = 'public'`,
    );
    assert.ok(tables.length > 10);
    for (const { name } of tables) {
      const found = await query(`select t::text as text from "${name}" t`);
      assertNone(found.map(({ text }: Loose) => text).join('\n'), `the table ${name}`);
    }
    // Proof that the search works.
    const recorded = await query('select 1 from run_recordings');
    assert.ok(recorded.length > 20);
  }

  function assertNone(text: string, where: string): void {
    const found = candidatesIn(text).filter(({ secret }) => secrets.has(secret));
    assert.deepEqual(
      found.map(({ secret, at }) => `${secrets.get(secret)}: ${text.slice(Math.max(0, at - 150), at + 40)}`),
      [],
      where,
    );
  }
});

/** Every text that looks like one of the secrets above: a search for each of them would take minutes. */
function candidatesIn(text: string): { secret: string; at: number }[] {
  const found: { secret: string; at: number }[] = [];
  for (const { index } of text.matchAll(/z9(?=[0-9a-f]{16})/g))
    found.push({ secret: text.slice(index, index + 18), at: index });
  for (const { index, 0: number } of text.matchAll(/\d{9,}/g))
    for (let at = 0; at <= number.length - 9; at += 1)
      for (const length of [9, 10, 16]) found.push({ secret: number.slice(at, at + length), at: index + at });
  return found;
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((file) => join(folder, file))
    .filter((file) => statSync(file).isFile());
}
