import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../json.ts';
import { SuspendedCalls } from './suspended-calls.ts';

type Act = Parameters<SuspendedCalls['start']>[1];

const QUESTION = { method: 'elicitation/create', params: { message: 'Which?' } };
const context = (signal = new AbortController().signal) => ({ session: 's', signal });
const askOnce: Act = async ({ ask }) => ({ answered: await ask(QUESTION) });
const stateOf = ({ requestState }: JsonObject) => requestState as string;

test('a call that asks nothing ends at once', async () => {
  const calls = new SuspendedCalls();
  assert.deepEqual(await calls.start('ana', async () => ({ done: true }), context()), { done: true });
  assert.equal(calls.size, 0);
});

test('a call that asks is suspended until its client brings the answers', async () => {
  const calls = new SuspendedCalls();
  const asked = await calls.start('ana', askOnce, context());
  assert.equal(asked.resultType, 'input_required');
  assert.deepEqual(asked.inputRequests, { elicitation_1: QUESTION });
  assert.ok(SuspendedCalls.ownsState(asked.requestState));
  const answers = { elicitation_1: { action: 'accept' } };
  const result = await calls.resume('ana', stateOf(asked), answers, context());
  assert.deepEqual(result, { answered: { action: 'accept' } });
  assert.equal(calls.size, 0);
});

test('questions asked together go out together, and one that is not answered fails alone', async () => {
  const calls = new SuspendedCalls();
  const act: Act = async ({ ask }) => {
    const answers = await Promise.allSettled([ask(QUESTION), ask({ ...QUESTION, method: 'roots/list' })]);
    return { answers: answers.map(({ status }) => status) };
  };
  const asked = await calls.start('ana', act, context());
  assert.deepEqual(Object.keys(asked.inputRequests as JsonObject), ['elicitation_1', 'roots_2']);
  const result = await calls.resume('ana', stateOf(asked), { roots_2: { roots: [] } }, context());
  assert.deepEqual(result, { answers: ['rejected', 'fulfilled'] });
});

test('a state that is unknown, used up or of another client is refused in the same words', async () => {
  const calls = new SuspendedCalls();
  const asked = await calls.start('ana', askOnce, context());
  const refused = { code: 'bad_request', message: /no longer waiting for input/ };
  assert.throws(() => calls.resume('ana', 'pml:invented', {}, context()), refused);
  assert.throws(() => calls.resume('ben', stateOf(asked), {}, context()), refused);
  await calls.resume('ana', stateOf(asked), { elicitation_1: {} }, context());
  assert.throws(() => calls.resume('ana', stateOf(asked), {}, context()), refused);
  assert.equal(SuspendedCalls.ownsState('a state of a server'), false);
});

test('a call that is cancelled before it starts is not made', async () => {
  const calls = new SuspendedCalls();
  let made = false;
  const act: Act = async () => {
    made = true;
    return {};
  };
  assert.throws(() => calls.start('ana', act, context(AbortSignal.abort())), { code: 'cancelled' });
  assert.equal(made, false);
});

test('a call that is cancelled before its answers arrive ends', async () => {
  const calls = new SuspendedCalls();
  const act: Act = async ({ ask, signal }) => {
    await ask(QUESTION);
    return { aborted: signal.aborted };
  };
  const asked = await calls.start('ana', act, context());
  const answers = { elicitation_1: { action: 'accept' } };
  const ended = await calls.resume('ana', stateOf(asked), answers, context(AbortSignal.abort()));
  assert.deepEqual(ended, { aborted: true });
});

test('the calls of a client that has gone are abandoned, those of others stay', async () => {
  const calls = new SuspendedCalls();
  const reasons: unknown[] = [];
  const act: Act = async ({ ask }) => {
    await ask(QUESTION).catch((error) => reasons.push(error.message));
    return {};
  };
  await calls.start('ana', act, context());
  await calls.start('ben', act, context());
  calls.abandonAll('ana');
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual([reasons, calls.size], [['The client has gone.'], 1]);
  calls.close();
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual([reasons, calls.size], [['The client has gone.', 'PML is stopping.'], 0]);
});

test('progress after the answers goes to the request that brought them', async () => {
  const calls = new SuspendedCalls();
  const heard: string[] = [];
  const hearing = (who: string) => ({ ...context(), onprogress: () => heard.push(who) });
  const act: Act = async ({ ask, onprogress }) => {
    onprogress?.({ progress: 1 });
    await ask(QUESTION);
    onprogress?.({ progress: 2 });
    return {};
  };
  const asked = await calls.start('ana', act, hearing('first'));
  await calls.resume('ana', stateOf(asked), { elicitation_1: {} }, hearing('second'));
  assert.deepEqual(heard, ['first', 'second']);
});

test('a cancelled request cancels the call', async () => {
  const calls = new SuspendedCalls();
  const abort = new AbortController();
  const act: Act = ({ signal }) =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  const result = calls.start('ana', act, context(abort.signal));
  abort.abort();
  await assert.rejects(result, { code: 'cancelled', message: 'The call was cancelled.' });
});

test('at most 1000 calls wait at a time, of all clients together', async () => {
  const calls = new SuspendedCalls();
  await Promise.all(Array.from({ length: 1000 }, (_, i) => calls.start(`client ${i}`, askOnce, context())));
  assert.throws(() => calls.start('ana', askOnce, context()), { message: /Too many calls are waiting/ });
  calls.abandonAll('client 7');
  await calls.start('ana', askOnce, context());
  calls.close();
});
