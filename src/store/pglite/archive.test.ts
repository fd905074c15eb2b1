import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { freshFolder } from '../testing.ts';
import { archiveFolder, extractArchive } from './archive.ts';
import { prepareTemplate } from './cluster.ts';
import { templateFile } from './template-file.ts';

test('an archive gives a folder back with its empty folders and with the zeros at the end of its files', (t) => {
  const folder = freshFolder(t);
  const original = join(folder, 'original');
  mkdirSync(join(original, 'inner', 'empty'), { recursive: true });
  const files = {
    'inner/zeros': Buffer.alloc(100_000),
    'inner/text': Buffer.from('text\0\0'),
    nothing: Buffer.alloc(0),
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(original, name), content);

  archiveFolder(original, join(folder, 'archive'));
  extractArchive(join(folder, 'archive'), join(folder, 'copy'));

  const list = (place: string) => readdirSync(place, { recursive: true }).map(String).sort();
  assert.deepEqual(list(join(folder, 'copy')), list(original));
  for (const [name, content] of Object.entries(files))
    assert.deepEqual(readFileSync(join(folder, 'copy', name)), content, name);
  assert.equal(statSync(join(folder, 'copy')).mode & 0o777, 0o700);
  assert.ok(statSync(join(folder, 'archive')).size < 1000);
});

test('the prepared database is without the log of its making', async () => {
  await prepareTemplate();
  // With that log it has 2.2 MB.
  assert.ok(statSync(templateFile()).size < 1_500_000);
});
