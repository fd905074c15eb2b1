import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Imported } from '../../registry/bundle/index.ts';
import type { Invocation } from '../command.ts';
import type { Terminal } from '../terminal.ts';
import { runImport } from './import.ts';

const folder = mkdtempSync(join(tmpdir(), 'pml-import-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const file = join(folder, 'a.bundle.json');
writeFileSync(file, 'the text');

type AdminRequest = Record<string, unknown>;

/** Imports as a person who gives these answers, from a daemon to which the signer is `known`. */
async function importAs(
  known: Imported['signer']['known'],
  answers: string[],
  values: Invocation['values'] = {},
  interactive = true,
) {
  const [sent, asked, printed]: [AdminRequest[], string[], string[]] = [[], [], []];
  const terminal = {
    interactive,
    print: (text: string) => void printed.push(text),
    progress: () => {},
    style: (_: unknown, text: string) => text,
    ask: async (question: string) => {
      asked.push(question);
      return answers.shift() ?? '';
    },
  } as unknown as Terminal;
  const send = async (_: Terminal, request: object) => {
    sent.push(request as AdminRequest);
    const status = (request as AdminRequest).dry_run ? 'dry_run' : 'imported';
    const one = { name: 'a:b', fqdn: 'x', version: 1, what: 'created', origin: 'y', asked_for: true };
    const signer = { fingerprint: 'f00d', known };
    return {
      status,
      signer,
      capabilities: [one],
      tools: [{ name: 'sh:run', connected: true }],
      missing_servers: [],
    } as never;
  };
  await runImport({ values, positionals: [file], flags: [], terminal }, send);
  return {
    sent: sent.map(({ dry_run, trust, always }) => ({ dry_run, trust, always })),
    asked,
    printed: printed.join('\n'),
  };
}

test('PML asks about a key that is not trusted, and shows what the bundle brings', async () => {
  const once = await importAs('stranger', ['yes']);
  assert.equal(once.asked.length, 1);
  assert.match(
    once.printed,
    /a:b@1 would be imported[\s\S]*It calls: sh:run\n[\s\S]*f00d[\s\S]*a:b@1 imported$/,
  );
  assert.deepEqual(once.sent, [
    { dry_run: true, trust: undefined, always: undefined },
    { dry_run: false, trust: 'f00d', always: undefined },
  ]);
  const always = await importAs('stranger', ['Always']);
  assert.deepEqual(always.sent.at(-1), { dry_run: false, trust: 'f00d', always: true });
});

test('any answer but a clear yes means no', async () => {
  for (const answer of ['', 'no', 'n', 'yep, why not', 'alw']) {
    const { sent, printed } = await importAs('stranger', [answer]);
    assert.deepEqual(sent, [{ dry_run: true, trust: undefined, always: undefined }]);
    assert.match(printed, /Nothing was imported\.$/);
  }
});

test('PML does not ask about a known key, in a pipe, or with --trust, --json or --dry-run', async () => {
  assert.equal((await importAs('own', [])).asked.length, 0);
  assert.equal((await importAs('trusted', [])).asked.length, 0);
  assert.equal((await importAs('stranger', [], {}, false)).asked.length, 0);
  for (const values of [{ trust: 'f00d' }, { json: true }, { 'dry-run': true }]) {
    const { asked, sent } = await importAs('stranger', [], values);
    assert.deepEqual([asked.length, sent.length], [0, 1]);
  }
});
