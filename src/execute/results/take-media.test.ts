import assert from 'node:assert/strict';
import { test } from 'node:test';
import { takeMedia } from './take-media.ts';

const bounds = { blocks: 3, bytes: 1000 };
const image = { type: 'image', data: 'aGVsbG8=', mimeType: 'image/png' };

test('images and audio become blocks, wherever they stand, and a text names each in their place', () => {
  const sound = { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' };
  const { value, media, leftOut } = takeMedia({ title: 'x', shots: [image, { deep: sound }] }, bounds);
  assert.deepEqual(media, [image, sound]);
  assert.equal(leftOut, 0);
  assert.deepEqual(value, {
    title: 'x',
    shots: [
      { ...image, data: '(image 1 of this answer: image/png, 6 bytes)' },
      { deep: { ...sound, data: '(audio 2 of this answer: audio/wav, 3 bytes)' } },
    ],
  });
});

test('an embedded resource that is an image becomes a block too', () => {
  const resource = { uri: 'fixture://pixel', mimeType: 'image/png', blob: image.data };
  const { value, media } = takeMedia([{ type: 'resource', resource }], bounds);
  assert.deepEqual(media, [image]);
  const blob = '(image 1 of this answer: image/png, 6 bytes)';
  assert.deepEqual(value, [{ type: 'resource', resource: { ...resource, blob } }]);
});

test('a value without media is the same value', () => {
  const value = { list: [1, { a: 'x' }], none: null };
  assert.equal(takeMedia(value, bounds).value, value);
});

test('data that is not base64, and blocks of another kind, stay: a client would refuse the answer', () => {
  for (const data of ['', 'hello world', 'abc', 'a=b=', 'AA\nA'])
    assert.deepEqual(takeMedia([{ ...image, data }], bounds).media, [], data);
  assert.deepEqual(takeMedia({ ...image, mimeType: 'text/html' }, bounds).media, []);
  assert.deepEqual(takeMedia({ ...image, type: 'picture' }, bounds).media, []);
});

test('what there is no room for is left out and counted', () => {
  const large = { ...image, data: 'A'.repeat(1200) };
  const { value, media, leftOut } = takeMedia([large, image, image, image, image], bounds);
  assert.deepEqual([media.length, leftOut], [3, 2]);
  assert.match(JSON.stringify(value), /image left out: image\/png, 900 bytes/);
});
