import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { compareAll, sameBehaviour } from './compare-transcripts.ts';
import type { Transcript } from './replay-request.ts';

const isRead = ({ name }: { name: string }) => name.startsWith('r');

/** A transcript of calls like "r1" (a read), "w2" (a write) and "+w3" (a write beside the call before it). */
function transcript(calls: string, end: Partial<Transcript> = { value: '1' }): Transcript {
  const made = calls.split(' ').filter(Boolean);
  const list = made.map((call) => {
    const unanswered = call.startsWith('+') ? 1 : 0;
    return { name: call.charAt(unanswered), args: call.slice(unanswered + 1), unanswered };
  });
  return { calls: list, end: 'value', ...end };
}

function verdict(a: Transcript, b: Transcript) {
  assert.equal(sameBehaviour(a, b, isRead), sameBehaviour(b, a, isRead));
  return sameBehaviour(a, b, isRead);
}

describe('two transcripts are the same', () => {
  test('if reads between two writes differ in their order alone', () => {
    assert.equal(verdict(transcript('r1 r2 w1 r3'), transcript('r2 r1 w1 r3')), 'same');
    assert.equal(verdict(transcript('r1 r2 w1 r3'), transcript('r1 w1 r2 r3')), 'different');
    assert.equal(verdict(transcript('r1 r1'), transcript('r1')), 'different');
  });

  test('if what is under way beside a write is the same', () => {
    assert.equal(verdict(transcript('w1 +w2'), transcript('w1 +w2')), 'same');
    assert.equal(verdict(transcript('w1 +w2'), transcript('w1 w2')), 'different');
    assert.equal(verdict(transcript('w1 +r2'), transcript('w1 r2')), 'different');
    assert.equal(verdict(transcript('r1 +w2'), transcript('r1 w2')), 'different');
    assert.equal(verdict(transcript('r1 +r2 w3'), transcript('r2 r1 w3')), 'same');
  });

  test('if writes have one order', () => {
    assert.equal(verdict(transcript('w1 w2'), transcript('w1 w2')), 'same');
    assert.equal(verdict(transcript('w1 w2'), transcript('w2 w1')), 'different');
    assert.equal(verdict(transcript('w1'), transcript('w1 w1')), 'different');
    assert.equal(verdict(transcript('r1'), transcript('w1')), 'different');
  });

  test('if their values are the same JSON, whatever the order of keys', () => {
    const of = (value: string) => transcript('', { value });
    assert.equal(verdict(of('{"a":1,"b":[{"c":1,"d":2}]}'), of('{"b":[{"d":2,"c":1}],"a":1}')), 'same');
    assert.equal(verdict(of('[1,2]'), of('[2,1]')), 'different');
    assert.equal(verdict(of(''), of('null')), 'different');
    assert.equal(verdict(of(''), of('')), 'same');
  });

  test('if both fail after the same writes', () => {
    const failed = (calls: string, message: string) => transcript(calls, { end: 'failure', message });
    assert.equal(verdict(failed('r1 w1', 'a'), failed('r2 r3 w1', 'b')), 'same');
    assert.equal(verdict(failed('w1', 'a'), failed('', 'a')), 'different');
    assert.equal(verdict(failed('', 'a'), transcript('')), 'different');
  });

  test('never if one of them was stopped', () => {
    assert.equal(verdict(transcript('', { end: 'limit' }), transcript('w1')), 'unknown');
  });

  test('with themselves, whatever they are', () => {
    const call = fc.record({ name: fc.constantFrom('r', 'w'), args: fc.json(), unanswered: fc.nat(3) });
    const property = fc.property(fc.array(call), fc.json(), (calls, value) => {
      assert.equal(
        verdict({ calls, end: 'value', value }, { calls: [...calls], end: 'value', value }),
        'same',
      );
    });
    fc.assert(property, { numRuns: 100 });
  });
});

describe('programs behave alike', () => {
  const value = transcript('r1');
  const limit = transcript('', { end: 'limit' });
  const failure = transcript('', { end: 'failure' });

  test('if no world tells them apart and enough worlds say so', () => {
    assert.ok(compareAll([value, value, value], [value, value, value], isRead));
    assert.ok(!compareAll([value, value, value], [value, value, transcript('r2')], isRead));
    assert.ok(!compareAll([value, limit, limit, value], [value, value, value, value], isRead));
    assert.ok(!compareAll([value, failure, failure, failure], [value, failure, failure, failure], isRead));
    assert.ok(compareAll([value, value, failure, failure], [value, value, failure, failure], isRead));
  });

  test('only if both return in the recorded world', () => {
    assert.ok(!compareAll([limit, value], [limit, value], isRead));
    assert.ok(!compareAll([failure, value], [failure, value], isRead));
    assert.ok(!compareAll([], [], isRead));
  });
});
