import { z } from 'zod';
import { describeRecord, fork, resolve } from '../../registry/index.ts';
import { versionWarnings } from '../../registry/names/index.ts';
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
  run: async ({ source, name }, { db, keys, redactor, caller }) => {
    caller.tools.assertFree(name);
    assertNoSecret('The name', name, redactor);
    const warnings = versionWarnings(await resolve(db, caller.who, source));
    const copy = await fork({ db, keys }, caller.who, source, name);
    const record = await describeRecord({ db, keys }, caller.who, copy);
    return { ...record, ...(warnings.length > 0 && { warnings }) };
  },
});
