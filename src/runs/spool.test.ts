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
  spool.append({ id: 'next' });
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
  spool.append({ id: 'next' });
  spool.close();

  assert.deepEqual(new Spool(file).recovered, [{ id: 'next' }]);
});
