/** Names with every kind of character, through the database: refused in the contract's words, or found again, and alone. */

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { onBothEngines } from '../../store/testing.ts';
import { times } from '../../testing/effort.ts';
import { createNamed, find, fork, remember, rename, resolve, restore, retire } from '../index.ts';
import { assertNameFree } from '../names/index.ts';
import { ana, ben, failureOf, learned, registryOf, saveCapability } from '../testing.ts';

/** Ten thousand with `PML_EFFORT=5`. */
const COUNT = times(2000);

const TRICKS = [
  ...[
    "x'; drop table capability_records; --",
    "' or '1'='1",
    '$1',
    '%',
    '_',
    '%%',
    'a%',
    '*',
    '?',
    '[a-z]',
    '{a,b}',
  ],
  ...[
    '\\',
    '\\_',
    '..',
    '.',
    '/',
    '../x',
    'a.b',
    'a.b.c.d',
    'a.b.c.d.abcd',
    'acme.web.fs.read',
    'acme.web:fs:read',
  ],
  ...[
    '',
    ' ',
    ' a',
    'a ',
    'a b',
    'a\n',
    '\na',
    'a\r',
    '\t',
    '\0',
    'a\0b',
    '\u0007',
    '\u001b[31m',
    '\u007f',
    '\u0085',
  ],
  ...[
    'é',
    'e\u0301',
    'ａ',
    'а',
    'ß',
    'İ',
    'ſ',
    'K',
    '\u200b',
    'a\u200db',
    '\u202eabc',
    '\ufeffa',
    '\u2028',
    '😀',
  ],
  ...[
    '\ud800',
    'a\udc00',
    '\udbff\ud800',
    'a@v1',
    'a@latest',
    'a@2025-12-22',
    '@',
    '@v1',
    'a@',
    'a:b@v1.2.0',
  ],
  ...[
    ':',
    '::',
    ':::',
    ':a',
    'a:',
    'a::',
    '::a',
    'a::b',
    'a:b:',
    ':a:b',
    'a:b:c:d',
    '-',
    '--',
    '-a',
    '_a',
    '__',
    '_:_',
  ],
  ...[
    'x'.repeat(64),
    'x'.repeat(65),
    `a:${'x'.repeat(62)}`,
    `a:${'x'.repeat(63)}`,
    ':'.repeat(64),
    ':'.repeat(65),
  ],
  ...[
    'mcp:filesystem',
    'mcp:',
    'mcp:a b',
    'mcp__fs__read',
    'mcp__',
    'mcp_',
    'MCP:x',
    'mcp',
    'cap',
    'pml',
    'cap:',
    'cap:x',
  ],
  ...[
    'cap:lookup',
    'cap_lookup',
    'cap_list',
    'pml_execute',
    'pml:execute',
    'pml:discover',
    'Cap:Lookup',
    'cap__lookup',
  ],
  ...[
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    'null',
    'undefined',
    'true',
    '0',
    '-1',
    '1e3',
    'NaN',
  ],
  ...[
    '12345678-1234-1234-1234-123456789abc',
    'unnamed_deadbeef',
    'exec_deadbeef',
    'latest',
    'v1',
    'v1-2-0',
    'hidden:capability',
  ],
];

const WORD = 'abcXYZ019_-:';
const name = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom(...TRICKS) },
  { weight: 9, arbitrary: fc.string({ unit: 'binary', maxLength: 70 }) },
  { weight: 6, arbitrary: fc.string({ unit: 'grapheme', maxLength: 70 }) },
  // One odd character in an otherwise valid name.
  {
    weight: 6,
    arbitrary: fc
      .tuple(
        fc.string({ unit: fc.constantFrom(...WORD), minLength: 1, maxLength: 20 }),
        fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
        fc.nat(20),
      )
      .map(([text, odd, at]) => text.slice(0, at) + odd + text.slice(at)),
  },
  { weight: 1, arbitrary: fc.string({ unit: fc.constantFrom(...WORD), maxLength: 66 }) },
  { weight: 1, arbitrary: fc.stringMatching(/^(cap|pml|mcp|CAP|hidden)[:_]{1,2}[a-z:]{0,8}$/) },
);
const NAMES = fc.sample(name, { numRuns: COUNT, seed: 13 });

const OWN = ['execute', 'discover'].flatMap((word) => [`pml:${word}`, `pml_${word}`]);
const CAP = 'lookup list whois rename update history curate verify fork merge retire restore stats'.split(
  ' ',
);
const RESERVED = new Set([...OWN, ...CAP.flatMap((word) => [`cap:${word}`, `cap_${word}`])]);

/** The contract's rules for a name, implemented independently. */
function verdictOn(text: string): 'good' | string {
  const letters = [...text].every((one) => WORD.includes(one) || /^[A-Za-z0-9]$/.test(one));
  const hasAction = !(text.indexOf(':') > 0 && text.indexOf(':') === text.length - 1);
  if (!letters || text.length < 1 || text.length > 64 || !hasAction)
    return `invalid_name: Invalid capability name: "${text}". Must be alphanumeric with underscores, hyphens, and colons only.`;
  const isReserved = RESERVED.has(text) || text.startsWith('mcp:') || text.startsWith('mcp__');
  return isReserved ? `name_taken: "${text}" is reserved for PML's own tools and servers.` : 'good';
}

onBothEngines(
  'thousands of names: each is refused in the contract’s words wherever one is given, or is given',
  async ({ db }) => {
    const registry = registryOf(db);
    await saveCapability(db, ana, 'start');
    await saveCapability(db, ana, 'source');
    const given = new Set(['start', 'source']);
    let refused = 0;
    for (const [at, text] of NAMES.entries()) {
      const verdict = verdictOn(text);
      if (verdict !== 'good') {
        refused += 1;
        assert.equal(await failureOf(rename(registryOf(db), ana, 'start', { newName: text })), verdict);
        assert.equal(await failureOf(assertNameFree(db, ana, text)), verdict);
        // These query the database before they check the name.
        if (at % 100 > 0) continue;
        assert.equal(await failureOf(fork(registry, ana, 'source', text)), verdict);
        assert.equal(
          await failureOf(createNamed(registry, ana, { ...learned('beef'), name: text })),
          verdict,
        );
        assert.equal(await failureOf(remember(registry, ana, learned(`beef${at}`, { name: text }))), verdict);
      } else if (!given.has(text)) {
        given.add(text);
        assert.equal((await rename(registryOf(db), ana, 'start', { newName: text })).name, text);
      }
    }
    assert.ok(refused > 0.6 * COUNT && given.size > 0.025 * COUNT, `${refused} refused, ${given.size} given`);
    const { rows } = await db.query<{ name: string }>(`select name from capability_names where org = 'acme'`);
    assert.deepEqual(rows.map((row) => row.name).toSorted(), [...given].toSorted());
  },
);

const GOOD = [...new Set(NAMES)].filter((text) => verdictOn(text) === 'good').filter((_, at) => at % 3 === 0);

onBothEngines(
  'a capability with an odd name is found by every spelling, and nothing else is',
  async ({ db }) => {
    const made = new Map<string, Awaited<ReturnType<typeof saveCapability>>>();
    for (const text of GOOD) made.set(text, await saveCapability(db, ana, text));
    assert.ok(made.size > 0.008 * COUNT);
    const unhashed = Map.groupBy(made.values(), ({ fqdn }) => fqdn.replace(/\.\w+$/, ''));
    for (const [text, { fqdn, id, listedName }] of made) {
      const found = async (spelling: string) => (await find(db, ana, spelling))?.fqdn;
      for (const spelling of [
        text,
        listedName,
        `acme.web:${text}`,
        fqdn,
        id,
        `${text}@v1`,
        `${listedName}@latest`,
      ])
        assert.equal(await found(spelling), fqdn, spelling);
      // If a capability is called `cap:x`, then `cap:x` means that one.
      if (!made.has(`cap:${text}`)) assert.equal(await found(`cap:${text}`), fqdn);
      const short = fqdn.replace(/\.\w+$/, '');
      if (unhashed.get(short)?.length === 1) assert.equal(await found(short), fqdn);
      else assert.match(await failureOf(resolve(db, ana, short)), /^ambiguous_name: /);
      assert.equal(await find(db, ben, text), undefined);
    }
  },
);

onBothEngines('text that cannot be a name finds nothing', async ({ db }) => {
  await saveCapability(db, ana, 'start');
  const odd = [...new Set(NAMES)].filter((text) => verdictOn(text) !== 'good' && !/@|start/i.test(text));
  for (const text of odd.filter((_, at) => at % 40 === 0)) {
    assert.equal(
      await failureOf(resolve(db, ana, text)),
      `capability_not_found: Capability not found: ${text}`,
    );
    assert.equal(
      await failureOf(restore(registryOf(db), ana, text)),
      `capability_not_found: Capability not found: ${text}`,
    );
  }
});

onBothEngines(
  'an id, a listed name and a name after cap: are not taken over by a name that looks like one',
  async ({ db }) => {
    const { id, fqdn, listedName } = await saveCapability(db, ana, 'fs:read', 'project');
    await saveCapability(db, ben, id, 'project');
    assert.equal((await resolve(db, ana, id)).fqdn, fqdn);
    assert.match(await failureOf(saveCapability(db, ben, listedName)), /^name_taken: .*reserved/);
    const plain = await saveCapability(db, ana, 'mine');
    const ofCap = await saveCapability(db, ana, 'cap:mine');
    for (const { fqdn: which } of [plain, ofCap]) await retire(registryOf(db), ana, which, 30);
    assert.equal((await restore(registryOf(db), ana, 'cap:mine')).fqdn, ofCap.fqdn);
    assert.equal((await restore(registryOf(db), ana, 'mine')).fqdn, plain.fqdn);
    await retire(registryOf(db), ana, plain.fqdn, 30);
    assert.equal((await restore(registryOf(db), ana, plain.listedName)).fqdn, plain.fqdn);
  },
);

onBothEngines('an ambiguous public name is reported with the scope of each', async ({ db }) => {
  for (const who of [ana, { ...ben, project: 'other' }]) await saveCapability(db, who, 'shared', 'public');
  assert.equal(
    await failureOf(resolve(db, { user: 'eve', org: 'far', project: 'away' }, 'shared')),
    'ambiguous_name: "shared" could mean "acme.web:shared" and "acme.other:shared". Use one of these names.',
  );
});
