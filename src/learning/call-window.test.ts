import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Json } from '../json.ts';
import { CallWindow, MAX_LENGTH, type RecurringSegment } from './call-window.ts';
import { type CallDigest, digestCall, type PlainCall } from './digest-call.ts';
import { SegmentCounts } from './segment-counts.ts';

/** Sessions of one principal, and what they were found to repeat: `find note (1.id<0.customer)`. */
class Sessions {
  readonly counts = new SegmentCounts();
  readonly found: RecurringSegment[] = [];
  #opened = 0;

  open(): CallWindow {
    this.#opened += 1;
    return new CallWindow(`session ${this.#opened}`, this.counts, (one) => this.found.push(one));
  }

  get texts(): string[] {
    return this.found.map(({ calls, links, segment }) => {
      const names = calls.map(({ digest }) => digest.name).join(' ');
      const linked = links.map(({ call, leaf, from, path }) => {
        const key = calls[call]?.digest.leaves[leaf]?.path.join('.');
        return ` ${call}.${key}<${[from, ...path].join('.')}`;
      });
      return `${segment.count}× ${names}${linked.join('')}`;
    });
  }
}

let now = 0;
function add(window: CallWindow, name: string, args: Json = {}, result: Json = null): void {
  const call: PlainCall = { name, args, result };
  now += 1000;
  window.add(digestCall(call) as CallDigest, call, now);
}

/** The calls of one procedure: a customer is looked up, and a note is written. */
function annotate(window: CallWindow, turn: number): void {
  const id = `CUS-${1000 + turn}`;
  add(window, 'find', { name: `Name ${turn}` }, { customer: { id } });
  add(window, 'note', { text: `Text ${turn}`, id, channel: 'mail' }, { ok: true });
}

test('a sequence is found at its third time, in one session or several, with its links', () => {
  for (const isOneSession of [true, false]) {
    const sessions = new Sessions();
    const only = sessions.open();
    for (let turn = 0; turn < 3; turn++) {
      const window = isOneSession ? only : sessions.open();
      annotate(window, turn);
      assert.deepEqual(sessions.texts, []);
      add(window, `other ${turn}`);
    }
    assert.deepEqual(sessions.texts, ['3× find note 1.id<0.customer.id']);
    const [found] = sessions.found;
    // The first two times are known by their hashes alone.
    assert.deepEqual([...(found?.segment.varied ?? [])].sort(), ['0.0', '1.1', '1.2']);
    assert.deepEqual(
      found?.calls.map(({ recorded }) => recorded?.args),
      [{ name: 'Name 2' }, { text: 'Text 2', id: 'CUS-1002', channel: 'mail' }],
    );
  }
});

test('the longest sequence is found, not its parts nor its rotations', () => {
  const sessions = new Sessions();
  const window = sessions.open();
  for (let turn = 0; turn < 40; turn++) {
    add(window, 'a', { n: turn });
    add(window, 'b', { n: turn });
    add(window, 'c', { n: turn });
  }
  window.end();
  assert.deepEqual(new Set(sessions.texts.map((text) => text.replace(/^\d+× /, ''))), new Set(['a b c']));
});

test('a beginning that several sequences share does not keep them from being found', () => {
  const sessions = new Sessions();
  const window = sessions.open();
  for (const last of ['x', 'y', 'z']) {
    for (let turn = 0; turn < 3; turn++) {
      for (const name of ['a', 'b', last]) add(window, name, { n: turn });
      window.end();
    }
  }
  assert.deepEqual(new Set(sessions.texts), new Set(['3× a b x', '9× a b', '3× a b y', '3× a b z']));
});

const ENDS: Record<string, (window: CallWindow) => void> = {
  'a failure': (window) => window.end(),
  'a long pause': () => {
    now += 11 * 60 * 1000;
  },
};
for (const [what, happens] of Object.entries(ENDS)) {
  test(`${what} ends a sequence`, () => {
    const sessions = new Sessions();
    const window = sessions.open();
    for (let turn = 0; turn < 5; turn++) {
      add(window, 'find', { name: turn });
      happens(window);
      add(window, 'note', { id: turn });
      window.end();
    }
    assert.deepEqual(sessions.texts, []);
  });
}

test('other keys or other links make another sequence; the order of keys and values do not', () => {
  const sessions = new Sessions();
  const window = sessions.open();
  const pair = (args: Json, result: Json, next: Json) => {
    add(window, 'find', args, result);
    add(window, 'note', next);
    window.end();
  };
  pair({ name: 'x', limit: 1 }, { id: 'CUS-1001' }, { id: 'CUS-1001' });
  pair({ limit: 2, name: 'y' }, { id: 'CUS-1002' }, { id: 'CUS-1002' });
  pair({ limit: 3, name: 'z' }, { id: 'CUS-1003' }, { id: 'CUS-9999' });
  pair({ name: 'z' }, { id: 'CUS-1004' }, { id: 'CUS-1004' });
  assert.deepEqual(sessions.texts, []);
  pair({ limit: 5, name: 'w' }, { id: 'CUS-1005' }, { id: 'CUS-1005' });
  assert.deepEqual(sessions.texts, ['3× find note 1.id<0.id']);
});

test('the same call again and again is no procedure', () => {
  const sessions = new Sessions();
  const window = sessions.open();
  for (let turn = 0; turn < 100; turn++) add(window, 'get', { n: turn });
  window.end();
  assert.deepEqual(sessions.texts, []);
});

test('principals never mix', () => {
  const [ana, ben] = [new Sessions(), new Sessions()];
  for (let turn = 0; turn < 2; turn++) {
    for (const one of [ana, ben]) {
      const window = one.open();
      annotate(window, turn);
      window.end();
    }
  }
  assert.deepEqual([ana.texts, ben.texts], [[], []]);
});

test('a session that rests hands over what recurred, and keeps no values', () => {
  const sessions = new Sessions();
  const window = sessions.open();
  for (let turn = 0; turn < 3; turn++) annotate(window, turn);
  assert.equal(window.isWaiting, true);
  window.rest();
  assert.deepEqual(sessions.texts, ['3× find note 1.id<0.customer.id']);
  add(window, 'find', { name: 'Name 9' });
  assert.equal(window.isWaiting, true);
  window.rest();
  assert.equal(window.isWaiting, false);
});

test('long sessions and floods of tools are counted within bounds', () => {
  const sessions = new Sessions();
  const window = sessions.open();
  for (let turn = 0; turn < 20_000; turn++) add(window, `tool ${turn}`, { [`key${turn}`]: turn });
  assert.ok(sessions.counts.size <= 2000);
  for (let turn = 0; turn < 3; turn++) annotate(window, turn);
  window.end();
  assert.deepEqual(sessions.texts, ['3× find note 1.id<0.customer.id']);
});

test('whatever is called, only what occurred three times without overlap is found, and it is what was called', () => {
  const call = fc.record({ name: fc.constantFrom('a', 'b', 'c'), end: fc.nat({ max: 9 }) });
  const property = fc.property(fc.array(call, { maxLength: 120 }), (calls) => {
    const sessions = new Sessions();
    const window = sessions.open();
    const runs: string[] = [''];
    for (const { name, end } of calls) {
      add(window, name, { n: 1 });
      runs[runs.length - 1] += name;
      if (end === 0) {
        window.end();
        runs.push('');
      }
    }
    window.end();
    for (const { calls: made, segment } of sessions.found) {
      const text = made.map(({ digest }) => digest.name).join('');
      assert.ok(text.length >= 2 && text.length <= MAX_LENGTH);
      const occurrences = runs.reduce((sum, run) => sum + run.split(text).length - 1, 0);
      assert.ok(segment.count >= 3 && occurrences >= 3, `${text} in ${runs}`);
    }
  });
  fc.assert(property, { numRuns: 300 });
});
