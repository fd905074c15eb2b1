import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Announcements, Announcer } from './announcer.ts';
import type { Member } from './member.ts';

const ana = { who: { user: 'ana' } } as Member;
const ben = { who: { user: 'ben' } } as Member;

function announcer(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  t.mock.method(performance, 'now', () => now);
  let now = 1000;
  const announced: Announcements[] = [];
  const pass = (ms: number) => {
    now += ms;
    t.mock.timers.tick(ms);
  };
  return { announcer: new Announcer((one) => announced.push(one)), announced, pass };
}

test('changes of one burst are announced once, each list to all whom it concerns', (t) => {
  const { announcer: to, announced, pass } = announcer(t);
  to.add(['tools'], [ana]);
  to.add(['tools', 'prompts'], [ben]);
  to.add(['resources'], [ana]);
  to.add(['resources'], [ben]);
  assert.equal(announced.length, 0);
  pass(40);
  assert.deepEqual(announced, [
    new Map<string, unknown>([
      ['tools', new Set([ana, ben])],
      ['prompts', new Set([ben])],
      ['resources', new Set([ana, ben])],
    ]),
  ]);
});

test('announcements are 300 ms apart, however often lists change', (t) => {
  const { announcer: to, announced, pass } = announcer(t);
  for (let ms = 0; ms < 3000; ms += 10) {
    to.add(['tools'], [ana]);
    pass(10);
  }
  assert.ok(announced.length >= 9 && announced.length <= 10, `${announced.length} announcements`);
});

test('a change that concerns nobody, or that comes before the end, is not announced', (t) => {
  const { announcer: to, announced, pass } = announcer(t);
  to.add(['tools'], []);
  pass(1000);
  to.add(['tools'], [ana]);
  to.close();
  pass(1000);
  assert.deepEqual(announced, []);
});
