import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Page, ROOT, userPages } from './markdown.ts';

/** Returns the messages of a page: the code in the first column of its tables of messages. */
function messagesOf({ prose }: Page): string[] {
  const tables = prose.split('\n\n').filter((part) => /^\| message \|/m.test(part));
  return tables.flatMap((table) =>
    Array.from(table.matchAll(/^\| `([^`]+)`/gm), ([, message]) => message as string),
  );
}

/** Says whether the sources contain each part of a message; `…` stands for what PML fills in. */
function isSaid(message: string, sources: string): boolean {
  const parts = message.split('…').map((part) => part.trim());
  return parts.every((part) => sources.includes(part));
}

test('every message that the page on troubles explains is one of PML', () => {
  const page = userPages().find(({ path }) => path === 'docs/troubleshoot.md');
  assert.ok(page);
  const files = globSync('src/**/*.{ts,js}', { cwd: ROOT }).filter(
    (file) => !/\.test\.ts$|testing/.test(file),
  );
  const sources = files.map((file) => readFileSync(join(ROOT, file), 'utf8')).join('\n');
  const messages = messagesOf(page);
  assert.ok(messages.length > 30);
  assert.deepEqual(
    messages.filter((message) => !isSaid(message, sources)),
    [],
  );
  assert.equal(isSaid('Port … is taken', 'Port 1 is in use'), false);
});
