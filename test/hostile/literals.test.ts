import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import fc from 'fast-check';
import { runCodeTask } from '../../src/code/index.ts';
import { classifyLiteral } from '../../src/code/testing.ts';
import { Redactor } from '../../src/secrets/index.ts';
import { cpuOf, leastCpuOf } from '../../src/testing/cpu-time.ts';
import { runs } from '../../src/testing/effort.ts';
import { WORST_SOURCES } from '../code/worst-sources.ts';
import type { Peer } from '../support/clients.ts';
import { fixtureServer } from '../support/pml.ts';
import { answerOf, execute, TestBed } from '../support/test-bed.ts';

/** Limits of processor time: for one literal, and in the main thread for one source of any size. */
const MAX_LITERAL_MS = 25;
const MAX_MAIN_MS = 150;
/** Longer literals are classified by their length and the shapes of secrets alone. */
const LENGTH = 2000;

/** A prefix, a repeated part, and an end that makes the match fail. */
type Attack = readonly [start: string, pump: string, end: string];

/** For every shape of a literal, texts that made its pattern slow, found by recheck or by hand. */
const ATTACKS: Record<string, readonly Attack[]> = {
  mail: [
    ['a@b', ',,,,,a@b', ' '],
    ['\0@\0,>@\0', ',>@\0,', '@'],
    ['a@b', ' , ; ,', 'x'],
    ['Ann <a@b', ',a@b,', ' '],
  ],
  sql: [
    ['WITH(W', 'FROM\tSELECT\tH', 'FROM'],
    ['with', ' select', ' x'],
    ['', ' ', 'selec'],
    ['create ', 'or replace ', 'x'],
  ],
  'graph query': [
    ['', '{', ''],
    ['', 'MATCH ', ''],
    ['query', ' a', ''],
    ['{ a', ' ', ''],
  ],
  filter: [
    ['', 'UE/', 'UE\0T EQ 0'],
    ['A:\0\t', '\t', '\n:\n\tA:\0\tA:A'],
    ['', 'a:b\n', 'x'],
    ['', 'and a ', ''],
    ['', 'a/', ' eq x'],
  ],
  'regular expression': [
    ['', '*[0-0', '*\n[0-0]*'],
    ['', '[a-z', ''],
    ['', '\\', 'q'],
    ['', '(?', ''],
  ],
  template: [
    ['', '{{\0', ''],
    ['${0', '0', ''],
    ['>', '<%\0', '>'],
    ['', '%(a', ''],
  ],
  markup: [
    ['A', '<A', 'a'],
    ['', '<A\t', ''],
    ['', '<a>', '</b>'],
    ['', '<a-', '>'],
    ['', '</a', ''],
  ],
  shell: [
    ['', 'sudo ', 'x'],
    ['', 'A=b ', 'x'],
    ['git', ' a', ''],
    ['A=', '=', ' '],
  ],
  selector: [
    ['', '[0=0', ''],
    ['a', ' > ', ''],
    ['', '//a', ''],
    ['.a', ' ', ''],
  ],
  code: [
    ['function\t', '\t', '\0function('],
    [';', '\n\t', ''],
    ['n', '\0return\0n', ''],
    ['l', '(avg(n', '\nsum()'],
    ['', ':if(', '\n:if():'],
    ['', ';0(', ';'],
    ['}', '0{0="=', '}\n0{0=""}'],
    ['', 'if (', ''],
    ['', 'a()\n', ''],
    ['', ';\n ', 'x'],
    ['from ', 'from\n', ''],
  ],
  'path or glob': [
    ['', '/', '\t'],
    ['', '*', '\0'],
    ['', 'a.', ' '],
    ['', '\\', ' '],
    ['', '{,}', '\0'],
  ],
  'date or time': [
    ['1', ' 1', ''],
    ['*', ' *', ''],
    ['mon', 'mon', ''],
    ['1-1-', '1', 'x'],
  ],
  number: [
    ['1', '1,', 'x'],
    ['$', '1 ', 'x'],
  ],
  list: [
    ['a', ',a', '.'],
    ['', ',', ''],
    ['a', ';', 'a'],
  ],
  sentence: [
    ['', ' ', 'x'],
    ['', 'a ', '…'],
    ['', '\u2028', ''],
  ],
  secret: [
    ['', 'sk-', ''],
    ['', 'eyJ-', ''],
    ['', 'token ', ''],
    ['', '://a:b', ''],
    ['', 'A+', '\0'],
    ['', 'https://x.', ''],
  ],
};

const KEYS = ['x', 'query', 'password', 'to', 'command', undefined];
const SCHEMA = { description: 'the name of an API token, an SQL query to run, '.repeat(10) };

for (const [shape, attacks] of Object.entries(ATTACKS)) {
  test(`literals that attack the shape of: ${shape}`, async () => {
    for (const [start, pump, end] of attacks) {
      const times = Math.floor((LENGTH - start.length - end.length) / pump.length);
      // Whole, truncated, and one character longer: each fails to match in another way.
      const whole = `${start}${pump.repeat(times)}${end}`;
      for (const value of [whole, whole.slice(0, -1), whole.slice(1), `${whole} `.slice(0, LENGTH)]) {
        for (const key of KEYS) {
          const ms = await leastCpuOf(() => classifyLiteral({ value, key, schema: SCHEMA }), MAX_LITERAL_MS);
          assert.ok(ms < MAX_LITERAL_MS, `${ms} ms: ${JSON.stringify(value)} under ${key}`);
        }
      }
    }
  });
}

test('random combinations of the attacking parts', async () => {
  const pieces = fc.constantFrom(
    ...Object.values(ATTACKS).flat(2),
    ...'<>@{}[]()/\\*=:;,.-_ \n"\'`$%&|a1'.split(''),
  );
  const literals = fc
    .tuple(fc.array(pieces, { maxLength: 6 }), fc.array(pieces, { minLength: 1, maxLength: 4 }), pieces)
    .map(([start, pump, end]) =>
      `${start.join('')}${pump.join('').repeat(LENGTH).slice(0, 400)}${end}`.slice(0, LENGTH),
    );
  await fc.assert(
    fc.asyncProperty(literals, fc.constantFrom(...KEYS), async (value, key) => {
      const ms = await leastCpuOf(() => classifyLiteral({ value, key }), MAX_LITERAL_MS);
      assert.ok(ms < MAX_LITERAL_MS, `${ms} ms`);
    }),
    runs(1000),
  );
});

const KNOWN = { schemas: new Map(), renamed: new Map([['a.b.c.d.abcd', 'x:y']]), canonical: new Map() };

/** Everything that PML does with code that it runs and learns. */
async function study(source: string): Promise<void> {
  const refused = (error: { code?: string }) => {
    if (error.code !== 'syntax_error') throw error;
  };
  await runCodeTask('prepareRun', source).catch(refused);
  await runCodeTask('learn', source, { ...KNOWN, given: {}, secrets: new Redactor().known }).catch(refused);
}

/** The processor time of `study`, the least of five if the first are too long: the machine may slow them, but not speed them up. */
async function cpuOfStudy(source: string): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 1; attempt <= 5 && least >= MAX_MAIN_MS; attempt++) {
    // Other text each time: results are remembered by their source.
    const ms = await cpuOf(() => study(attempt === 1 ? source : `${source}\n// ${attempt}`));
    least = Math.min(least, ms);
  }
  return least;
}

describe('the worst sources that the limits allow', { concurrency: false }, () => {
  before(() => study('// text\n'.repeat(2000)));
  const sources = Object.entries(WORST_SOURCES);
  const step = Math.max(1, Math.floor(6 / runs(1).numRuns));
  for (const [name, make] of sources.filter((_, index) => index % step === 0)) {
    test(`do not block the main thread: ${name}`, async () => {
      const source = make();
      const ms = await cpuOfStudy(source);
      assert.ok(ms < MAX_MAIN_MS, `${ms} ms`);
    });
  }
  for (const [name, make] of sources) {
    test(`do not block it when truncated: ${name}`, async () => {
      const source = make();
      // Truncated at a line, the rest is often still a program.
      const small = source.slice(0, source.lastIndexOf('\n', 4000));
      const ms = await cpuOfStudy(small);
      assert.ok(ms < MAX_MAIN_MS, `${ms} ms`);
    });
  }
});

describe('a daemon that gets these sources', { concurrency: false }, () => {
  const bed = new TestBed({ mcpServers: { work: fixtureServer('fixture-work.ts') } });
  let peer: Peer;

  before(async () => {
    peer = await bed.peer();
  });

  // The daemon's watchdog fails the suite if any of these blocks it.
  test('runs and learns code that is slow to read', async () => {
    const literal = `a@b${',,,,,a@b'.repeat(60)} `;
    await execute(peer, { code: `return await mcp.work.keep({ item: ${JSON.stringify(literal)} });` });
    const lines = `const unused = [\n${'"v", '.repeat(8)}\n`.concat(
      '"some", "thing",\n'.repeat(4000),
      '];\nreturn 1;',
    );
    const { result, capabilityName } = await execute(peer, { code: lines, name: 'slow:list' });
    assert.deepEqual([result, capabilityName], [1, 'slow:list']);
    const { structuredContent } = await peer.call('cap_whois', { name: 'slow:list' });
    assert.ok(structuredContent.code === lines);
  });

  test('answers code that it cannot read', async () => {
    for (const name of ['comments that never close', 'strings that never close', 'many faults']) {
      const answer = await answerOf(peer, { code: WORST_SOURCES[name]?.() });
      assert.equal(answer.error.code, 'syntax_error', name);
    }
  });
});
