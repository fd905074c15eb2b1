import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Spool } from './spool.ts';

test('a row after a torn row is read on its own', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'pml-spool-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'journal.jsonl');
  writeFileSync(file, '{"id":"whole"}\n{"id":"ha');

  const spool = new Spool(file);
  assert.deepEqual(spool.recovered, [{ id: 'whole' }]);
  spool.append('{"id":"next"}');
  spool.close();

  assert.deepEqual(new Spool(file).recovered, [{ id: 'whole' }, { id: 'next' }]);
});

test('a torn row alone is removed by the next reset', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'pml-spool-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'journal.jsonl');
  writeFileSync(file, '{"id":"ha');

  const spool = new Spool(file);
  spool.reset();
  spool.append('{"id":"next"}');
  spool.close();

  assert.deepEqual(new Spool(file).recovered, [{ id: 'next' }]);
});

test('rows that arrive while others are being stored outlive the emptying of those', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'pml-spool-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'journal.jsonl');
  const left = () => new Spool(file).recovered;

  const spool = new Spool(file);
  spool.append('1');
  spool.rotate();
  spool.append('2');
  assert.deepEqual(left(), [1, 2]);
  // The first could not be stored, so its file is not free.
  spool.rotate();
  spool.append('3');
  spool.resetOther();
  assert.deepEqual(left(), [2, 3]);
  spool.rotate();
  spool.append('4');
  spool.resetOther();
  assert.deepEqual(left(), [4]);
  spool.reset();
  assert.deepEqual(left(), []);
  spool.close();
});
