import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChunkList } from './chunk-list.ts';

const KB = 1024;

test('one chunk is returned as it is', () => {
  const list = new ChunkList();
  const chunk = Buffer.from('whole');
  list.add(chunk);
  assert.equal(list.joined(), chunk);
});

test('a body in chunks of one byte is held in few Buffers', () => {
  const list = new ChunkList();
  const body = Buffer.from(Array.from({ length: 100 * KB }, (_, at) => at % 251));
  for (const byte of body) list.add(Buffer.of(byte));
  assert.ok(list.count < 30, `${list.count} Buffers`);
  assert.ok(list.joined().equals(body));
});

test('small chunks between large ones stay in their places', () => {
  const list = new ChunkList();
  const chunks = Array.from({ length: 200 }, (_, at) => Buffer.alloc(at % 3 ? 1 : 8 * KB, at));
  for (const chunk of chunks) list.add(chunk);
  assert.ok(list.count < chunks.length);
  assert.ok(list.joined().equals(Buffer.concat(chunks)));
});

test('a list that was cleared starts anew', () => {
  const list = new ChunkList();
  for (let i = 0; i < 100; i++) list.add(Buffer.from('a'));
  list.clear();
  assert.equal(list.count, 0);
  assert.equal(list.joined().length, 0);
  list.add(Buffer.from('b'));
  assert.equal(list.joined().toString(), 'b');
});
