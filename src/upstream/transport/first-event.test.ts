import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstEventData } from './first-event.ts';

const CASES: [string, string | null | undefined][] = [
  ['event: message\ndata: {"a":1}\n\n', '{"a":1}'],
  ['event: message\r\nid: 7\r\ndata:{"a":1}\r\n\r\n', '{"a":1}'],
  ['data: {}\n\ndata: {"b":2}\n\n', null],
  ['data: {}\n\n: more', null],
  ['', undefined],
  ['data: {"a"', undefined],
  ['data: {}\n', undefined],
  ['data: {}\r\n\r', undefined],
  ['id: 1\ndata: \n\n', ''],
  ['id: 1\n\n', null],
  [': hello\n\ndata: {}\n\n', null],
  ['retry: 10\ndata: {}\n\n', null],
  ['event: ping\ndata: {}\n\n', null],
  ['data: {\ndata: }\n\n', null],
  ['data: {}\rdata: {}\n\n', null],
  ['id: 1\nid: 2\nid: 3\ndata: {}\n\n', null],
];

for (const [text, data] of CASES) {
  test(`the first event of ${JSON.stringify(text)}`, () => {
    assert.equal(firstEventData(Buffer.from(text)), data);
  });
}
