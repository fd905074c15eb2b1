/** Names by a model, against a server that speaks the providers' protocols: what it may say, and what leaves the machine. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, beforeEach, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { ModelNamer } from '../../src/curation/model/name-by-model.ts';
import { promptFor, shortenLiterals } from '../../src/curation/model/prompt.ts';
import { readAnswer } from '../../src/curation/model/read-answer.ts';
import type { Nameable } from '../../src/curation/names/nameable.ts';
import { chooseModel, type ModelChoice } from '../../src/models/index.ts';
import { Redactor } from '../../src/secrets/index.ts';
import { attempt } from '../../src/testing/wait.ts';
import { nameAll, startModelServer } from '../support/model-server.ts';

const model = await startModelServer({ after });
const anthropic: ModelChoice = {
  provider: 'anthropic',
  model: 'claude-x',
  baseUrl: `${model.url}/v1`,
  key: 'k',
};
const openai: ModelChoice = { provider: 'openai', model: 'gpt-x', baseUrl: `${model.url}/v1` };

function nameable(more: Partial<Nameable> = {}): Nameable {
  const parameters = {
    type: 'object',
    properties: { path: { type: 'string', default: 'my/private/file.txt' } },
  };
  const base = { id: 'one', currentName: 'unnamed_1', intent: 'Read it', toolsUsed: ['fs:read'], parameters };
  return { ...base, code: 'return await mcp.fs.read({ path: args.path });', ...more };
}

/** Asks for the name of one program, and returns it, or why there is none. */
async function askFor(choice: ModelChoice, limits = {}): Promise<string> {
  const namer = new ModelNamer(choice, { maxTokens: 50_000, timeoutMs: 60_000, ...limits }, new Redactor());
  try {
    const words = await namer.name([nameable()], ['fs:list']);
    return 'why' in words ? `why: ${words.why}` : (words.get('one')?.name as string);
  } finally {
    await namer.close();
  }
}

beforeEach(() => {
  model.requests.length = 0;
  model.say = nameAll;
});

for (const [name, choice] of Object.entries({ anthropic, openai })) {
  test(`${name}: a name, then prose, wrong JSON, nothing useful: asked once more, then given up`, async () => {
    assert.equal(await askFor(choice), 'model:read_it');
    assert.equal(model.requests.length, 1);
    for (const said of [
      'I would call it read_it.',
      '{"names": []}',
      '{"programs": []}',
      '{"programs": [{"number"',
      '',
    ]) {
      model.requests.length = 0;
      model.say = () => said;
      assert.match(await askFor(choice), /^why: the model/, said);
      assert.equal(model.requests.length, 2, said);
    }
  });

  test(`${name}: the second answer is used if the first is prose`, async () => {
    model.say = (request) => (model.requests.length === 1 ? 'Sure! Here it is.' : nameAll(request));
    assert.equal(await askFor(choice), 'model:read_it');
  });
}

test('a model that hangs, and one that refuses the key, are given up without asking again', async () => {
  model.say = () => undefined;
  const asked = await attempt(
    async () => {
      model.requests.length = 0;
      const why = await askFor(anthropic, { timeoutMs: 5000 });
      return [why, model.requests.length] as const;
    },
    // On a busy machine the time may be over before the request arrives.
    ([, requests]) => requests > 0,
  );
  assert.deepEqual(asked, ['why: the model did not answer within 5000 ms', 1]);
  model.requests.length = 0;
  model.say = () => 401;
  assert.match(await askFor(anthropic), /^why: the provider answered 401/);
  assert.equal(model.requests.length, 1);
});

test('a provider that cannot be reached is a reason, not a failure', async () => {
  assert.match(await askFor({ ...openai, baseUrl: 'http://127.0.0.1:9/v1' }), /^why: /);
});

test('a cancelled curation ends at once', async () => {
  model.say = () => undefined;
  const abort = new AbortController();
  const namer = new ModelNamer(anthropic, { maxTokens: 50_000, timeoutMs: 60_000 }, new Redactor());
  const asked = namer.name([nameable()], [], abort.signal);
  abort.abort();
  assert.deepEqual(await asked, { why: 'the request was cancelled' });
  await namer.close();
});

test('the budget of tokens ends the questions', async () => {
  assert.match(await askFor(anthropic, { maxTokens: 100 }), /^why: the budget of 100 tokens/);
  assert.equal(model.requests.length, 0);
  const namer = new ModelNamer(anthropic, { maxTokens: 5000, timeoutMs: 60_000 }, new Redactor());
  // The server says that each answer cost 1,500 tokens.
  const outcomes: boolean[] = [];
  for (let n = 0; n < 4; n++) outcomes.push('why' in (await namer.name([nameable()], [])));
  await namer.close();
  assert.deepEqual(outcomes, [false, false, true, true]);
});

test('defaults, examples, secrets and long texts of the code do not leave the machine', () => {
  const secret = 'hunter2-hunter2-hunter2';
  const long = 'Dear Ms Smith, your account 1234 is overdrawn by a lot';
  const { system, user } = promptFor(
    [
      nameable({
        intent: `Log in with ${secret}`,
        code: `await mcp.mail.send({ text: "${long}", key: '${secret}' }); return "${long.slice(0, 10)}";`,
        parameters: {
          type: 'object',
          required: ['path'],
          properties: {
            path: { type: 'string', default: 'my/private/file.txt', examples: ['my/example'] },
            n: { type: 'number' },
          },
        },
      }),
    ],
    ['fs:list'],
    new Redactor([secret]),
  );
  const sent = system + user;
  for (const hidden of [secret, long, 'my/private', 'my/example']) assert.ok(!sent.includes(hidden), hidden);
  assert.match(user, /"path": "string"/);
  assert.match(user, /"n": "number, optional"/);
  assert.match(user, /fs:list/);
});

test('which model a setting means', () => {
  const access = { anthropicKey: 'a', openaiKey: 'o' };
  const chosen = (setting: string, given: object = access) => {
    const choice = chooseModel(setting, given);
    return 'why' in choice ? choice.why : [choice.provider, choice.model, choice.baseUrl, choice.key];
  };
  const url = 'https://api.anthropic.com/v1';
  assert.deepEqual(chosen('haiku'), ['anthropic', 'claude-haiku-4-5', url, 'a']);
  assert.deepEqual(chosen('claude-opus-4-5'), ['anthropic', 'claude-opus-4-5', url, 'a']);
  assert.deepEqual(chosen('anthropic/x'), ['anthropic', 'x', url, 'a']);
  assert.deepEqual(chosen('gpt-5-mini'), ['openai', 'gpt-5-mini', 'https://api.openai.com/v1', 'o']);
  assert.deepEqual(chosen('meta-llama/llama-3', { openaiUrl: 'http://x/v1/' }), [
    'openai',
    'meta-llama/llama-3',
    'http://x/v1',
    undefined,
  ]);
  assert.deepEqual(
    chosen('http://evil/v1#m'),
    ['openai', 'm', 'http://evil/v1', undefined],
    'no key for strangers',
  );
  assert.deepEqual(chosen('http://x/v1#m', { openaiUrl: 'http://x/v1', openaiKey: 'o' }), [
    'openai',
    'm',
    'http://x/v1',
    'o',
  ]);
  assert.match(String(chosen('haiku', {})), /ANTHROPIC_API_KEY is not set/);
  assert.match(String(chosen('openai/x', {})), /Neither OPENAI_API_KEY/);
  assert.match(String(chosen('http://x/v1')), /without a model/);
  assert.match(String(chosen('none')), /"none"/);
});

test('whatever a model answers, its words are bounded, of one line, and about what was asked', () => {
  const word = fc.record(
    {
      number: fc.oneof(fc.integer({ min: -1, max: 4 }), fc.anything()),
      name: fc.oneof(
        fc.string({ unit: 'binary', maxLength: 80 }),
        fc.constant('n'.repeat(10_000)),
        fc.anything(),
      ),
      description: fc.oneof(fc.string({ unit: 'binary', maxLength: 3000 }), fc.anything()),
      tags: fc.array(fc.oneof(fc.string(), fc.anything())),
      parameters: fc.array(
        fc.record({ name: fc.constantFrom('path', 'other', '__proto__'), description: fc.string() }),
      ),
    },
    { requiredKeys: ['number', 'name'] },
  );
  const answer = fc.oneof(fc.anything(), fc.record({ programs: fc.array(word, { maxLength: 6 }) }));
  fc.assert(
    fc.property(answer, (given) => {
      const batch = [nameable(), nameable({ id: 'two' })];
      const words = readAnswer(given, batch);
      for (const [id, { description, tags, parameterDescriptions }] of words ?? []) {
        assert.ok(['one', 'two'].includes(id));
        assert.ok(description.length <= 1000 && !/[\p{C}\n]/u.test(description));
        assert.ok(tags.length <= 8 && tags.every((tag) => /^[a-z0-9][a-z0-9_-]*$/.test(tag)));
        assert.deepEqual(
          Object.keys(parameterDescriptions).filter((name) => name !== 'path'),
          [],
        );
      }
    }),
  );
});

test('texts in code are cut, and the code around them stays', () => {
  const text = fc.string({ unit: fc.constantFrom('a', ' ', '\\n', '\\"', "'", '`') });
  fc.assert(
    fc.property(text, text, (one, other) => {
      const code = `f("${one}", x, "${other}");`;
      const short = shortenLiterals(code);
      assert.ok(short.startsWith('f("') && short.includes('", x, "') && short.endsWith('");'), short);
      assert.ok(short.length <= code.length);
    }),
  );
});

test('the packages for models are not loaded with the daemon', async () => {
  const program = `
    const seen = [];
    require('node:module').registerHooks({
      resolve: (specifier, context, next) => {
        const resolved = next(specifier, context);
        seen.push(resolved.url);
        return resolved;
      },
    });
    import('./src/daemon/index.ts').then(() => console.log(JSON.stringify(seen)));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', program], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    maxBuffer: 10_000_000,
  });
  const loaded: string[] = JSON.parse(stdout);
  assert.ok(loaded.some((url) => url.endsWith('/curation/model/model-thread.ts')));
  assert.deepEqual(
    loaded.filter((url) => /node_modules\/(ai|@ai-sdk)\//.test(url)),
    [],
  );
});
