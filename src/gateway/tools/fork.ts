import { z } from 'zod';
import { describe, fork } from '../../registry/index.ts';
import { assertNoSecret } from '../../texts.ts';
import { defineTool } from './define.ts';
import { CHANGES, newName, spelling } from './fields.ts';

export const forkTool = defineTool({
  name: 'cap_fork',
  title: 'Copy a capability',
  description:
    'Copy a capability that you can see, at any version ("name@v1"), under a new name of your own, to change it with cap_update.',
  input: z.strictObject({
    source: spelling.describe('The capability to copy'),
    name: newName.describe('The name of the copy'),
  }),
  annotations: { ...CHANGES, idempotentHint: false },
  run: async ({ source, name }, { workspace, caller }) => {
    caller.tools.assertFree(name);
    assertNoSecret('The name', name, workspace.redactor);
    return describe(workspace, caller.who, await fork(workspace, caller.who, source, name));
  },
});
