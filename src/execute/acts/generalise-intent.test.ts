import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Json } from '../../json.ts';
import { runs } from '../../testing/effort.ts';
import { generaliseIntent } from './generalise-intent.ts';

const REWRITTEN: [intent: string, values: Record<string, Json>, rewritten: string][] = [
  [
    "Go to workspace directory and move 'log.txt' to archive",
    { folder: 'workspace', source: 'log.txt', destination: 'archive' },
    "Go to {folder} directory and move '{source}' to {destination}",
  ],
  ['Email ana@acme.example about it.', { to: 'ana@acme.example' }, 'Email {to} about it.'],
  // The longest first, and whole words only.
  ['Copy a/report.csv, not report', { path: 'a/report.csv', name: 'report' }, 'Copy {path}, not {name}'],
  ['Summarise report.csv', { path: '/data/2026/report.csv' }, 'Summarise {path}'],
  ['Read logs of logger and log.old', { name: 'logs' }, 'Read {name} of logger and log.old'],
  ['Open mylog.txt and log.txt.bak', { file: 'log.txt' }, 'Open mylog.txt and log.txt.bak'],
  // Numbers stand alone: not in dates, versions, amounts or times.
  ['Order 12 of item 4711', { count: 12, item: 4711 }, 'Order {count} of item {item}'],
  ['On 2026-12-01 at 12:30 pay 12.50 or 12%', { count: 12 }, 'On 2026-12-01 at 12:30 pay 12.50 or {count}%'],
  ['Take 2 of them', { count: 2 }, 'Take 2 of them'],
  ['Pay 12.50', { amount: 12.5 }, 'Pay {amount}'],
  // Short words only in quotes.
  ['Is it in Rom or "Rom"?', { city: 'Rom' }, 'Is it in Rom or "{city}"?'],
  ['TURN ON the Light', { state: 'on', device: 'light' }, 'TURN ON the {device}'],
  ['Merge a.txt, b.txt and c.txt', { paths: ['a.txt', 'b.txt', 'c.txt'] }, 'Merge {paths}'],
  [
    'Tell Bob: I am on my way.',
    { message: 'I am on my way.', flag: true, none: null },
    'Tell Bob: {message}',
  ],
  [
    'remember the person Zoe Ray with a role',
    { entities: [{ name: 'Zoe Ray', entityType: 'person', observations: ['in design'] }] },
    'remember the person {entities} with a role',
  ],
  ['Straße in Zürich', { city: 'Zürich' }, 'Straße in {city}'],
];

test('values give way to the names of their parameters', () => {
  for (const [intent, values, rewritten] of REWRITTEN)
    assert.equal(generaliseIntent(intent, values), rewritten, intent);
});

test('words of the procedure stay', () => {
  assert.equal(
    generaliseIntent("read file in 'read' mode", { mode: 'read', file: 'file' }, new Set(['read'])),
    "read file in '{mode}' mode",
  );
});

test('what is written is deterministic, bounded, and has no long value of a parameter as a word', () => {
  const word = fc.stringMatching(/^[a-z0-9]{5,9}$/).filter((one) => !/^\d+$/.test(one));
  const values = fc.dictionary(fc.constantFrom('path', 'to', 'name', 'city'), word);
  fc.assert(
    fc.property(
      values,
      fc.array(fc.oneof(word, fc.constantFrom('the', '"', ',', '.', '/', 'path'))),
      (given, words) => {
        const intent = [...words, ...Object.values(given)].join(' ');
        const rewritten = generaliseIntent(intent, given);
        assert.equal(rewritten, generaliseIntent(intent, given));
        const left = new Set(rewritten.replace(/\{\w+\}/g, '').split(' '));
        for (const value of Object.values(given)) assert.ok(!left.has(value), `${rewritten} / ${value}`);
      },
    ),
    runs(300),
  );
  const many = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`p${at}`, 'x'.repeat(199) + at]));
  assert.ok(generaliseIntent('x'.repeat(2000), many).length <= 2000);
});
