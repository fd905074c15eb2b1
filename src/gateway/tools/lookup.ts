import { z } from 'zod';
import { summarize } from '../../registry/index.ts';
import { READS } from './annotations.ts';
import { defineTool } from './define-tool.ts';
import { findRecord } from './find-record.ts';
import { spelling } from './input-fields.ts';

export const lookupTool = defineTool({
  name: 'cap_lookup',
  title: 'Look up a capability',
  description: 'Parameters, version and usage of a capability or name@1.',
  input: z.strictObject({ name: spelling }),
  annotations: READS,
  run: async ({ name }, context) => summarize(await findRecord(context, name), context.caller.who),
});
