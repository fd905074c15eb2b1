import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DeclaredOutputs } from './declared-outputs.ts';

const schema = (type: string) => ({ type: 'object', properties: { id: { type } } });

test('one client is answered by what it was told last', () => {
  const told = new DeclaredOutputs({ isOneClient: true });
  assert.deepEqual(told.fit('a', { id: 'x' }), { id: 'x' });
  assert.equal(told.fit('a', 'text'), undefined);
  assert.ok(told.tell('a', schema('number')));
  assert.deepEqual(told.fit('a', { id: 'x', more: 1 }), { more: 1 });
  assert.deepEqual(told.fit('a', 'text'), {});
  assert.ok(told.tell('a', schema('string')));
  assert.deepEqual(told.fit('a', { id: 'x' }), { id: 'x' });
  assert.equal(told.tell('a', null), undefined);
  assert.deepEqual(told.fit('a', { id: 1 }), { id: 1 });
  assert.equal(told.mayHaveForgotten('b'), false);
});

test('clients that share a session are answered by all that any of them was told', () => {
  const told = new DeclaredOutputs({ isOneClient: false });
  assert.ok(told.mayHaveForgotten('a'));
  assert.deepEqual(told.fit('a', { id: 'x' }, schema('number')), {});
  for (const type of ['number', 'string', 'number', 'boolean', 'null'])
    assert.ok(told.tell('a', schema(type)));
  assert.equal(told.tell('a', null), undefined);
  assert.deepEqual(told.fit('a', { id: 'x', more: 1 }), { more: 1 });
  assert.equal(told.tell('a', schema('array')), undefined, 'more than a session remembers');
});

test('a session is told no more schemas than it remembers', () => {
  for (const isOneClient of [true, false]) {
    const told = new DeclaredOutputs({ isOneClient });
    const tellings = Array.from({ length: 2100 }, (_, at) => told.tell(`t${at}`, schema('number')));
    assert.equal(tellings.filter(Boolean).length, 2000);
    assert.ok(told.tell('t0', schema('string')));
  }
});
