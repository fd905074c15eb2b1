import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Command } from './command.ts';
import { parseArguments } from './parse-arguments.ts';

const command: Command = {
  help: '',
  options: { limit: { type: 'string' }, json: { type: 'boolean' } },
  positionals: true,
  run: async () => {},
};

function refusal(...args: string[]): string {
  try {
    parseArguments('list', command, args);
  } catch (error) {
    return (error as Error).message;
  }
  return assert.fail('was accepted');
}

test('wrong options are refused in the words of the command line', () => {
  assert.equal(refusal('--limt', '3'), 'pml list: there is no option --limt. Did you mean --limit?');
  assert.equal(refusal('--jean'), 'pml list: there is no option --jean.');
  assert.equal(refusal('--loud'), 'pml list: there is no option --loud.');
  assert.equal(refusal('-x'), 'pml list: there is no option -x.');
  assert.equal(refusal('--limit'), 'pml list: --limit needs a value.');
  assert.equal(refusal('--json=yes'), 'pml list: --json takes no value.');
  assert.equal(
    refusal('--limit', '--json'),
    'pml list: --limit needs a value. If that is "--json", write --limit=--json.',
  );
});

test('a value may begin with a dash after "=", and what follows "--" is no option', () => {
  const { values, positionals } = parseArguments('list', command, ['--limit=-1', '--', '--json', '-y']);
  assert.deepEqual({ ...values }, { limit: '-1' });
  assert.deepEqual(positionals, ['--json', '-y']);
});

test('a command that takes flags gets those that are not its own', () => {
  const open = { ...command, takesFlags: true };
  const args = ['a:b', '--path', 'x y', '--json', '--deep', '--limit', '3', '--at=-1', '--all'];
  const { values, positionals, flags } = parseArguments('run', open, args);
  assert.deepEqual({ ...values }, { json: true, limit: '3' });
  assert.deepEqual(positionals, ['a:b']);
  assert.deepEqual(flags, [
    ['path', 'x y'],
    ['deep', true],
    ['at', '-1'],
    ['all', true],
  ]);
});
