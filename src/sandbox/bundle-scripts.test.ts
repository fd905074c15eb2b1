import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  CHILD_MODULES,
  childScript,
  GUEST_MODULES,
  guestScript,
  WATCHDOG_MODULES,
} from './bundle-scripts.ts';

test('the bundled scripts have no module syntax left and declare no name twice', () => {
  // Either would be a syntax error.
  assert.doesNotThrow(() => new Function(childScript()));
  assert.doesNotThrow(() => new Function(`return ${guestScript()}`));
});

test('no two modules of a script declare the same function', () => {
  // The second would silently replace the first.
  for (const modules of [GUEST_MODULES, CHILD_MODULES, WATCHDOG_MODULES]) {
    const names = modules.flatMap((file) => {
      const source = readFileSync(new URL(`./${file}.ts`, import.meta.url), 'utf8');
      return Array.from(source.matchAll(/^(?:export )?(?:async )?function (\w+)/gm), ([, name]) => name);
    });
    assert.deepEqual(
      names.filter((name, i) => names.indexOf(name) !== i),
      [],
    );
  }
});
