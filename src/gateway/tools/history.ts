import { z } from 'zod';
import { history } from '../../registry/index.ts';
import { renameHistory } from '../../registry/names/index.ts';
import { READS } from './annotations.ts';
import { defineTool } from './define-tool.ts';
import { findRecord } from './find-record.ts';
import { fitList } from './fit-answer.ts';
import { spelling } from './input-fields.ts';

/** Enough for a whole long program, with other versions beside it. */
const MAX_VERSION_BYTES = 400_000;
const OLDER = 'There are older versions: cap_whois "name@1" shows each of them.';

export const historyTool = defineTool({
  name: 'cap_history',
  title: 'Show the versions of a capability',
  description: 'Versions of a capability, with diffs, and renames.',
  input: z.strictObject({ name: spelling }),
  annotations: READS,
  run: async ({ name }, context) => {
    const record = await findRecord(context, name);
    const versions = await history(context.db, context.caller.who, record);
    const renames = await renameHistory(context.db, record);
    const shown = fitList(versions, MAX_VERSION_BYTES);
    return { versions: shown, renames, ...(shown.length < versions.length && { shortened: OLDER }) };
  },
});
