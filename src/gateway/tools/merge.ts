import { z } from 'zod';
import { describeRecord } from '../../registry/index.ts';
import { WRITES } from './annotations.ts';
import { defineTool } from './define-tool.ts';
import { newName, spelling, text } from './input-fields.ts';

export const mergeTool = defineTool({
  name: 'cap_merge',
  title: 'Combine capabilities',
  description:
    'Make one capability of several. Without code they run one after the other: an object that one returns becomes arguments of the next, over the original ones; anything else arrives as args.input.',
  input: z.strictObject({
    sources: z.array(spelling).min(2).max(20).describe('The capabilities, in order'),
    name: newName.describe('The name of the new capability'),
    code: text(1_000_000)
      .min(1)
      .optional()
      .describe(
        'How to combine them, instead of one after the other; fs:read_json is called as cap_fs_read_json(args)',
      ),
  }),
  annotations: { ...WRITES, idempotentHint: false },
  run: async (input, { db, keys, config, redactor, executor, caller }) => {
    const { capability, warnings } = await executor.merge(input, caller, { config, redactor });
    const record = await describeRecord({ db, keys }, caller.who, capability);
    return { ...record, ...(warnings.length > 0 && { warnings }) };
  },
});
