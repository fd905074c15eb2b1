import { z } from 'zod';
import { history } from '../../registry/index.ts';
import { defineTool } from './define.ts';
import { READS, spelling } from './fields.ts';
import { named } from './find-record.ts';
import { fitList } from './fit-answer.ts';

/** Room for the whole of a long program, and for others beside it. */
const MAX_VERSION_BYTES = 400_000;
const OLDER = 'There are older versions: cap_whois "name@v1" shows each of them.';

export const historyTool = defineTool({
  name: 'cap_history',
  title: 'Show the versions of a capability',
  description:
    'All versions of a capability, newest first, with who changed it, why, and a unified diff of the code. To go back, pass the code of an old version (cap_whois "name@v1") to cap_update.',
  input: z.strictObject({ name: spelling.describe('Name of a capability') }),
  annotations: READS,
  run: async ({ name }, context) => {
    const versions = await history(context.workspace.db, context.caller.who, await named(context, name));
    const shown = fitList(versions, MAX_VERSION_BYTES);
    return { versions: shown, ...(shown.length < versions.length && { shortened: OLDER }) };
  },
});
