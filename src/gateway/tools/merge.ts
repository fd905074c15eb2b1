import { z } from 'zod';
import { describe } from '../../registry/index.ts';
import { defineTool } from './define.ts';
import { CHANGES, newName, spelling, text } from './fields.ts';

export const mergeTool = defineTool({
  name: 'cap_merge',
  title: 'Combine capabilities',
  description:
    'Make one capability of several. Without code they run one after the other: an object that one returns becomes arguments of the next, over the original ones; anything else arrives as args.input.',
  input: z.strictObject({
    sources: z.array(spelling).min(2).max(20).describe('The capabilities, in order'),
    name: newName.describe('The name of the new capability'),
    code: text(1_000_000).min(1).optional().describe('How to combine them, instead of one after the other'),
  }),
  annotations: { ...CHANGES, idempotentHint: false },
  run: async (input, { workspace, executor, caller }) => {
    const { capability, warnings } = await executor.merge(input, caller, workspace);
    const record = await describe(workspace, caller.who, capability);
    return { ...record, ...(warnings.length > 0 && { warnings }) };
  },
});
