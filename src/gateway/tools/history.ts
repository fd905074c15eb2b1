import { z } from 'zod';
import { history } from '../../registry/index.ts';
import { defineTool } from './define.ts';
import { READS, spelling } from './fields.ts';
import { named } from './named.ts';

export const historyTool = defineTool({
  name: 'cap_history',
  title: 'Show the versions of a capability',
  description:
    'All versions of a capability, newest first, with who changed it, why, and a unified diff of the code. To go back, pass the code of an old version (cap_whois "name@v1") to cap_update.',
  input: z.strictObject({ name: spelling.describe('Name of a capability') }),
  annotations: READS,
  run: async ({ name }, context) => ({
    versions: await history(context.workspace.db, context.caller.who, await named(context, name)),
  }),
});
