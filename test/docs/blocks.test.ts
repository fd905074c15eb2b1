import assert from 'node:assert/strict';
import { cpSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Client } from '@modelcontextprotocol/client';
import { Pml } from '../support/pml.ts';
import { serversReady } from '../support/servers-ready.ts';
import { canRun, executeInput, shows, stepsOf } from './blocks.ts';
import { type Block, ROOT, readPages, userPages } from './markdown.ts';
import { Shell } from './shell.ts';

const npx = (name: string, ...args: string[]) => ({
  command: 'npx',
  args: ['-y', `@modelcontextprotocol/server-${name}`, ...args],
});
const pml = new Pml(
  { after },
  {
    mcpServers: { filesystem: npx('filesystem', '.'), memory: npx('memory'), everything: npx('everything') },
  },
);
const shell = new Shell(pml);
let client: Client;

before(async () => {
  // The files that the examples read.
  shell.write('package.json', '{ "name": "mine", "version": "1.2.3" }\n');
  shell.write('other/package.json', '{ "name": "other", "version": "9.8.7" }\n');
  cpSync(join(ROOT, 'examples'), join(pml.dir, 'examples'), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(pml.dir, 'node_modules'));
  client = await pml.stdio();
  await serversReady(pml);
});

test('what a block shows is compared line by line, and a line that cannot run is known', () => {
  assert.deepEqual(stepsOf('$ a\nb\n\n$ c\n'), [
    { command: 'a', expected: 'b' },
    { command: 'c', expected: '' },
  ]);
  assert.ok(shows('a … c\n…', 'a b c\nd\ne\n') && shows('a\n…', 'a') && shows('…\nz', 'x\ny\nz'));
  assert.ok(!shows('a\n…', 'b\na') && !shows('a.c', 'abc') && !shows('', 'a'));
  const lines = [
    'pml list',
    'npm ci && npm start',
    'pml up --port 1',
    'mkdir a',
    'pml curate',
    'pml curate --dry-run',
  ];
  assert.deepEqual(lines.map(canRun), [true, false, false, true, false, true]);
});

async function runScript({ text, place }: Block): Promise<void> {
  const script = text.split('\n').filter((line) => line.trim() !== '' && canRun(line));
  if (script.length === 0) return;
  const { code, output } = await shell.run(script.join('\n'));
  assert.equal(code, 0, `${place}:\n${script.join('\n')}\n${output}`);
}

async function runConsole({ text, place }: Block): Promise<void> {
  for (const { command, expected } of stepsOf(text)) {
    assert.ok(canRun(command), `${place}: ${command} cannot run here: show it in a sh block`);
    const { output } = await shell.run(command);
    assert.ok(shows(expected, output), `${place}: ${command} prints\n${output}\nand not\n${expected}`);
  }
}

async function runCode({ text, place }: Block): Promise<void> {
  const answer = await client.callTool({ name: 'pml_execute', arguments: { ...executeInput(text) } });
  assert.equal(answer.isError, undefined, `${place}: ${JSON.stringify(answer.structuredContent)}`);
}

const RUNNERS: Readonly<Record<string, (block: Block) => Promise<void>>> = {
  sh: runScript,
  console: runConsole,
  ts: runCode,
};

for (const page of [...userPages(), ...readPages('examples/README.md')]) {
  // A program that imports PML is none for the sandbox; the test of the package runs it.
  const blocks = page.blocks.filter(({ language, text }) => language in RUNNERS && !/^import /m.test(text));
  if (blocks.length === 0) continue;
  test(`${page.path}: what it says to type works`, async () => {
    for (const block of blocks) {
      // A block that is a file is run by the commands of its page.
      if (block.file) shell.write(block.file, block.text);
      else await RUNNERS[block.language]?.(block);
    }
  });
}
