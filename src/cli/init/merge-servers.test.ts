import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Client } from './client-files.ts';
import type { Entry } from './convert-entry.ts';
import { mergeServers } from './merge-servers.ts';

const found = (client: Client, name: string, entry: Entry, notes: string[] = [], isDisabled = false) => {
  return { name, entry, notes, isDisabled, from: { client, file: `/${client}` } };
};

test('equal servers of two clients become one', () => {
  const [one, ...more] = mergeServers([
    found('Cursor', 'fs', { command: 'x', args: ['1'] }, ['a']),
    found('VS Code', 'fs', { args: ['1'], command: 'x' }, ['a', 'b']),
  ]);
  assert.deepEqual(more, []);
  assert.deepEqual(
    one?.from.map((each) => each.client),
    ['Cursor', 'VS Code'],
  );
  assert.deepEqual(one?.notes, ['a', 'b']);
});

test('equal servers of other names become one, which is switched off only if all of them are', () => {
  const merged = mergeServers([
    found('Cursor', 'files', { command: 'x' }, [], true),
    found('VS Code', 'fs', { command: 'x' }),
    found('VS Code', 'off', { command: 'y' }, [], true),
  ]);
  assert.deepEqual(
    merged.map(({ name, notes, isDisabled }) => [name, notes, isDisabled]),
    [
      ['files', ['is called fs in VS Code'], false],
      ['off', [], true],
    ],
  );
});

test('different servers of the same name get names of their own', () => {
  const merged = mergeServers([
    found('Claude Code', 'fs', { command: 'a' }),
    found('Cursor', 'fs', { command: 'b' }),
    found('Cursor', 'fs', { command: 'c' }),
    found('VS Code', 'fs', { command: 'b' }),
    found('VS Code', 'fs-cursor', { command: 'd' }),
  ]);
  assert.deepEqual(
    merged.map(({ name, entry, from, notes }) => [name, entry.command, from.length, notes]),
    [
      ['fs', 'a', 1, []],
      ['fs-cursor-2', 'b', 2, ['another server is called fs']],
      ['fs-cursor-3', 'c', 1, ['another server is called fs']],
      ['fs-cursor', 'd', 1, []],
    ],
  );
});

test('a long name stays within the limit', () => {
  const name = 'n'.repeat(64);
  const [, second] = mergeServers([
    found('Cursor', name, { command: 'a' }),
    found('Cursor', name, { command: 'b' }),
  ]);
  assert.equal(second?.name.length, 64);
});
