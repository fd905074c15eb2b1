import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  connectPeer,
  EACH_CLIENT,
  failureOf,
  KINDS,
  type Loose,
  type Peer,
  type PeerOptions,
} from '../support/clients.ts';
import { fixtureServer, Pml } from '../support/pml.ts';
import { startModernHttp } from '../support/servers.ts';
import { upReady } from '../support/servers-ready.ts';

const pml = new Pml(
  { after },
  {
    mcpServers: {
      old: fixtureServer('fixture-legacy.ts'),
      own: { ...fixtureServer('fixture-legacy.ts'), pml: { perSession: true } },
      new: fixtureServer('fixture-modern.ts', 'stdio'),
      remote: { type: 'http', url: await startModernHttp({ after }) },
    },
  },
);
let url: string;

before(async () => {
  url = await upReady(pml);
});

const SAMPLING = {
  method: 'sampling/createMessage',
  params: {
    messages: [{ role: 'user', content: { type: 'text', text: 'Capital of France?' } }],
    systemPrompt: 'Be brief.',
    maxTokens: 7,
  },
};
const ELICITATION = {
  method: 'elicitation/create',
  params: {
    message: 'Your name?',
    requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  },
};
const MODEL_ANSWER = {
  role: 'assistant',
  content: { type: 'text', text: 'Paris' },
  model: 'mock',
  stopReason: 'endTurn',
};
const USER_ANSWER = { action: 'accept', content: { name: 'Ana' } };

/** A client that answers questions and records them. */
function answering(): PeerOptions & { asked: Loose[] } {
  const asked: Loose[] = [];
  return {
    asked,
    sample: (params) => {
      asked.push(params);
      return MODEL_ANSWER;
    },
    elicit: (params) => {
      asked.push(params);
      return params.mode === 'url' ? { action: 'accept' } : USER_ANSWER;
    },
  };
}

for (const { kind, transport } of EACH_CLIENT) {
  describe(`${kind} over ${transport}`, () => {
    const options = answering();
    let able: Peer;
    let unwilling: Peer;
    let unable: Peer;
    before(async () => {
      able = await connectPeer(pml, kind, transport, url, options);
      unwilling = await connectPeer(pml, kind, transport, url, { elicit: () => ({ action: 'decline' }) });
      unable = await connectPeer(pml, kind, transport, url);
    });

    for (const server of ['old', 'own', 'new', 'remote']) {
      test(`answers questions of the ${server} server to its model and its user, in turn`, async () => {
        options.asked.length = 0;
        const result = await able.call(`${server}:ask`, { questions: [SAMPLING, ELICITATION, SAMPLING] });
        assert.ok(!result.isError, JSON.stringify(result));
        assert.partialDeepStrictEqual(result.structuredContent.answers, [
          MODEL_ANSWER,
          USER_ANSWER,
          MODEL_ANSWER,
        ]);
        assert.equal(options.asked.length, 3);
        assert.partialDeepStrictEqual(options.asked.slice(0, 2), [SAMPLING.params, ELICITATION.params]);
      });

      test(`is sent to a URL by the ${server} server`, async () => {
        options.asked.length = 0;
        const page = { mode: 'url', message: 'Sign in', url: 'https://example.com/in', elicitationId: 'e1' };
        const questions = [{ method: 'elicitation/create', params: page }];
        const { structuredContent } = await able.call(`${server}:ask`, { questions });
        assert.equal(structuredContent.answers[0].action, 'accept');
        assert.partialDeepStrictEqual(options.asked, [{ mode: 'url', message: 'Sign in', url: page.url }]);
      });

      test(`may decline a question of the ${server} server`, async () => {
        const { structuredContent } = await unwilling.call(`${server}:ask`, { questions: [ELICITATION] });
        assert.equal(structuredContent.answers[0].action, 'decline');
      });

      test(`is not asked without the capability, and the failed call of the ${server} server says so`, async () => {
        const text = await failureOf(unable.call(`${server}:ask`, { questions: [SAMPLING] }));
        assert.match(text, /sampling/i);
      });
    }
  });
}

for (const { kind, transport } of EACH_CLIENT) {
  test(`a question of a shared server during calls of several sessions is refused to ${kind} over ${transport}`, async () => {
    const options = answering();
    const key = `${kind} ${transport}`;
    const [asked, other] = (await Promise.all([
      connectPeer(pml, kind, transport, url, options),
      connectPeer(pml, kind, transport, url, options),
    ])) as [Peer, Peer];
    const abort = new AbortController();
    const hang = other.call('old:hang', { key }, { signal: abort.signal }).catch(() => {});
    await other.call('old:hanging', { key });
    const ask = failureOf(asked.call('old:ask', { questions: [ELICITATION], first: key }));
    await other.call('old:go', { key });
    const text = await ask;
    assert.match(text, /cannot tell who should answer elicitation\/create: calls of several sessions/);
    assert.match(text, /\\?"perSession\\?": ?true.*server \\?"old\\?"/);
    assert.deepEqual(options.asked, []);
    abort.abort();
    await hang;
  });
}

for (const { kind, transport } of EACH_CLIENT) {
  test(`${kind} over ${transport} gets the progress of a call that asks it, before and after its answers`, async () => {
    const options = answering();
    const peer = await connectPeer(pml, kind, transport, url, options);
    const label = `asking ${kind} ${transport}`;
    // The protocol does not tell modern clients on HTTP apart, so a second call would count as another client's.
    const paced = kind !== 'SDK v2 modern' || transport !== 'HTTP';
    const received: number[] = [];
    const onprogress = ({ progress, message }: Loose) => {
      // The SDK's modern client also reports that it is asked.
      if (message !== label) return;
      received.push(progress);
      // The server's next question comes just before the answer to this call, or just after it.
      if (paced) void peer.call('old:next', { label, step: progress, late: progress % 2 === 0 });
    };
    const questions = [ELICITATION, SAMPLING, ELICITATION];
    const result = await peer.call('old:ask', { questions, label, paced }, { onprogress });
    assert.ok(!result.isError, JSON.stringify(result));
    assert.deepEqual(received, [1, 2, 3]);
  });
}

for (const kind of ['SDK v1', 'SDK v2 legacy'] as const) {
  test(`an error that ${kind} answers reaches the server with its code`, async () => {
    const sample = () => Promise.reject(Object.assign(new Error('User rejected it'), { code: -1 }));
    const peer = await connectPeer(pml, kind, 'stdio', url, { sample });
    for (const server of ['old', 'own']) {
      const result = await peer.call(`${server}:ask`, { questions: [SAMPLING] });
      assert.equal(result.isError, true);
      assert.equal(result.structuredContent.code, -1);
      assert.match(result.structuredContent.message, /User rejected it/);
    }
  });
}

test('time to think about a question does not count against the timeouts of the server and the run', async () => {
  const hasty = { ...fixtureServer('fixture-legacy.ts'), pml: { timeoutMs: 15_000, perSession: true } };
  const cwd = pml.project('hasty', { mcpServers: { hasty } });
  const elicit = () => new Promise<object>((resolve) => setTimeout(() => resolve(USER_ANSWER), 16_000));
  const calls = KINDS.map(async (kind) => {
    const peer = await connectPeer(pml, kind, 'stdio', url, { elicit, cwd });
    const { structuredContent } = await peer.call('hasty:ask', { questions: [ELICITATION] });
    assert.partialDeepStrictEqual(structuredContent.answers, [USER_ANSWER]);
    const { structuredContent: ran } = await peer.call('pml_execute', {
      intent: 'ask',
      code: 'return (await mcp.hasty.ask({ questions: args.questions })).answers',
      args: { questions: [ELICITATION] },
      options: { timeout: 15_000 },
    });
    assert.partialDeepStrictEqual(ran.result, [USER_ANSWER], JSON.stringify(ran));
  });
  await Promise.all(calls);
});

test('a client that leaves instead of answering ends the call that asked it', async () => {
  const staying = await connectPeer(pml, 'SDK v1', 'stdio', url);
  for (const kind of KINDS) {
    const reached = Promise.withResolvers<void>();
    const elicit = () => {
      reached.resolve();
      return kind === 'SDK v2 modern' ? Promise.reject(new Error('no')) : new Promise<object>(() => {});
    };
    const leaving = await connectPeer(pml, kind, 'stdio', url, { elicit });
    const key = `left by ${kind}`;
    const call = leaving.call('old:ask', { questions: [ELICITATION], key }).catch(() => {});
    await reached.promise;
    // A modern client that cannot answer sends nothing more, so its call fails by itself.
    if (kind === 'SDK v2 modern') await call;
    await leaving.close();
    await staying.call('old:cancelled', { key });
  }
});

test('a perSession server can ask its client while other sessions call theirs', async () => {
  const options = answering();
  const [asked, other] = (await Promise.all([
    connectPeer(pml, 'SDK v1', 'stdio', url, options),
    connectPeer(pml, 'SDK v2 legacy', 'HTTP', url),
  ])) as [Peer, Peer];
  const abort = new AbortController();
  const hang = other.call('own:hang', { key: 'x' }, { signal: abort.signal }).catch(() => {});
  await other.call('own:hanging', { key: 'x' });
  const { structuredContent } = await asked.call('own:ask', { questions: [ELICITATION] });
  assert.deepEqual(structuredContent.answers, [USER_ANSWER]);
  abort.abort();
  await hang;
});

test('a question outside any call is refused with the reason', async () => {
  const peer = await connectPeer(pml, 'SDK v1', 'stdio', url, answering());
  const { structuredContent } = await peer.call('old:ask_later', { question: ELICITATION });
  assert.deepEqual(structuredContent, { planned: true });
  await peer.untilListed('mcp__old__has_asked');
  const { structuredContent: told } = await peer.call('old:asked_later');
  assert.match(told.message, /cannot tell who should answer elicitation\/create: no call is under way/);
});
