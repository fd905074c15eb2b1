import { z } from 'zod';
import { describeRecord, fork, rename, resolve } from '../../registry/index.ts';
import { versionWarnings } from '../../registry/names/index.ts';
import { assertNoSecret } from '../../stored-texts.ts';
import { WRITES } from './annotations.ts';
import { defineTool } from './define-tool.ts';
import { newName, spelling } from './input-fields.ts';

export const forkTool = defineTool({
  name: 'cap_fork',
  title: 'Copy a capability',
  description: 'Copy a capability, to change it.',
  input: z.strictObject({
    source: spelling,
    name: newName,
  }),
  annotations: { ...WRITES, idempotentHint: false },
  run: async ({ source, name }, { db, keys, redactor, caller, executor }) => {
    caller.tools.assertFree(name);
    assertNoSecret('The name', name, redactor);
    const original = await resolve(db, caller.who, source);
    const warnings = versionWarnings(original);
    const copy = await fork({ db, keys }, caller.who, source, name);
    const caching = await executor.cachingOfCopy(original, copy, caller);
    const made = caching ? await rename({ db, keys }, caller.who, copy.fqdn, { caching }) : copy;
    const record = await describeRecord({ db, keys }, caller.who, made);
    return { ...record, ...(warnings.length > 0 && { warnings }) };
  },
});
