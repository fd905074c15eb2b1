import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Spool } from './spool.ts';

test('a row that follows half a row is not read as a part of it', (t) => {
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

test('half a row alone is cleared away with what is stored', (t) => {
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
