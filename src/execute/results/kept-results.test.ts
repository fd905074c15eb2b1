import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Redactor } from '../../secrets/index.ts';
import { KEPT_MS, KeptResults } from './kept-results.ts';

const ana = { org: 'acme', project: 'web', user: 'ana' };
const bounds = { entries: 3, bytes: 100, totalBytes: 150 };
const redactor = new Redactor();

function keep(kept: KeptResults, text: string, who = ana): string {
  const id = kept.keep(who, { text, redactor });
  assert.ok(id);
  return id;
}

test('a result is found by its owner alone, for ten minutes', () => {
  let now = 0;
  const kept = new KeptResults(bounds, () => now);
  const id = keep(kept, '["é"]');
  assert.equal(kept.find(ana, id)?.text, '["é"]');
  for (const other of [{ user: 'ben' }, { project: 'app' }, { org: 'evil' }, { agent: 'reader' }])
    assert.equal(kept.find({ ...ana, ...other }, id), undefined);
  now = KEPT_MS - 1;
  assert.ok(kept.find(ana, id));
  now = KEPT_MS;
  assert.equal(kept.find(ana, id), undefined);
  assert.equal(kept.size, 0);
});

test('the oldest go first: of the owner by count and size, of all by size', () => {
  const kept = new KeptResults(bounds, () => 0);
  const ids = [1, 2, 3, 4].map((n) => keep(kept, `${n}`));
  assert.deepEqual(
    ids.map((id) => kept.find(ana, id)?.text),
    [undefined, '2', '3', '4'],
  );
  keep(kept, 'x'.repeat(98));
  assert.deepEqual(
    ids.map((id) => kept.find(ana, id)?.text),
    [undefined, undefined, '3', '4'],
  );
  keep(kept, 'x'.repeat(99), { ...ana, user: 'ben' });
  assert.equal(kept.size, 1);
  assert.equal(kept.keep(ana, { text: 'x'.repeat(101), redactor }), undefined);
});

test('an id says which process keeps the result', () => {
  const [here, there] = [new KeptResults(), new KeptResults()];
  const id = keep(here, '1');
  assert.deepEqual([here.isOwn(id), there.isOwn(id)], [true, false]);
});
