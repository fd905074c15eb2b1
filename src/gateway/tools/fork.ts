import { z } from 'zod';
import { describe, fork, rename, resolve } from '../../registry/index.ts';
import { assertNoSecret } from '../../texts.ts';
import { WRITES } from './annotations.ts';
import { defineTool } from './define-tool.ts';
import { newName, spelling } from './input-fields.ts';

export const forkTool = defineTool({
  name: 'cap_fork',
  title: 'Copy a capability',
  description:
    'Copy a capability that you can see, at any version ("name@v1"), under a new name of your own, to change it with cap_update.',
  input: z.strictObject({
    source: spelling.describe('The capability to copy'),
    name: newName.describe('The name of the copy'),
  }),
  annotations: { ...WRITES, idempotentHint: false },
  run: async ({ source, name }, { db, keys, redactor, caller, executor }) => {
    caller.tools.assertFree(name);
    assertNoSecret('The name', name, redactor);
    const original = await resolve(db, caller.who, source);
    const copy = await fork({ db, keys }, caller.who, source, name);
    const caching = await executor.cachingOfCopy(original, copy, caller);
    const made = caching ? await rename({ db, keys }, caller.who, copy.fqdn, { caching }) : copy;
    return describe({ db, keys }, caller.who, made);
  },
});
