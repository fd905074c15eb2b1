import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listedCommands } from '../../src/cli/commands/index.ts';
import { pmlWords, wordsOf, wrongScript, wrongUse } from './command-lines.ts';
import { inlineCode, readPages, userPages } from './markdown.ts';

test('the PML command is found in a line, and a wrong option or command is noticed', async () => {
  const problemOf = async (line: string) => wrongUse(pmlWords(wordsOf(line)) ?? []);
  assert.deepEqual(pmlWords(wordsOf(`claude mcp add pml -- node a/bin/pml.js serve --agent 'a b' # now`)), [
    'serve',
    '--agent',
    'a b',
  ]);
  assert.deepEqual(pmlWords(wordsOf('claude mcp add --transport http pml http://127.0.0.1')), undefined);
  assert.equal(await problemOf(`pml list 'fs:*' --json | jq .total`), undefined);
  assert.match((await problemOf('pml list --jsn')) ?? '', /--jsn/);
  assert.match((await problemOf('pml lst')) ?? '', /no command "lst"/);
  assert.match(wrongScript(['npm', 'run', 'bench:nothing']) ?? '', /bench:nothing/);
});

test('every command line in the documents is one that PML or npm accepts', async () => {
  const pages = readPages('README.md', 'CONTRIBUTING.md', 'docs/*.md', 'examples/*.md');
  const wrong: string[] = [];
  let checked = 0;
  for (const page of pages) {
    const fenced = page.blocks
      .filter(({ language }) => ['sh', 'console'].includes(language))
      .flatMap(({ language, text }) => linesOf(text, language));
    for (const line of [...fenced, ...inlineCode(page)].flatMap((each) => each.split(' && '))) {
      const words = wordsOf(line);
      const command = /^(?:npx|node|pml|claude|codex|gemini|code)$/.test(words[0] ?? '') && pmlWords(words);
      const problem = command ? await wrongUse(command) : wrongScript(words);
      if (command || words[0] === 'npm') checked++;
      if (problem) wrong.push(`${page.path}: ${line}: ${problem}`);
    }
  }
  assert.deepEqual(wrong, []);
  assert.ok(checked > 100, `only ${checked} command lines were found`);
});

/** The commands of a block: each line of a script; of a console, those after the prompt. */
function linesOf(text: string, language: string): string[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return language === 'sh'
    ? lines
    : lines.filter((line) => line.startsWith('$ ')).map((line) => line.slice(2));
}

test('the page of commands names every command', () => {
  const page = userPages().find(({ path }) => path === 'docs/commands.md');
  const named = new Set(page ? inlineCode(page).flatMap((code) => code.split(/[\s,]+/)) : []);
  assert.deepEqual(
    listedCommands().filter(({ name }) => !named.has(name)),
    [],
  );
});
