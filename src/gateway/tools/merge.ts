import { z } from 'zod';
import { describeRecord } from '../../registry/index.ts';
import { WRITES } from './annotations.ts';
import { defineTool } from './define-tool.ts';
import { newName, spelling, text } from './input-fields.ts';

export const mergeTool = defineTool({
  name: 'cap_merge',
  title: 'Combine capabilities',
  description: 'Chain capabilities: each returns the args of the next, or code calls cap_fs_read(args).',
  input: z.strictObject({
    sources: z.array(spelling).min(2).max(20),
    name: newName,
    code: text(1_000_000).min(1).optional(),
  }),
  annotations: { ...WRITES, idempotentHint: false },
  run: async (input, { db, keys, config, redactor, executor, caller }) => {
    const { capability, warnings } = await executor.merge(input, caller, { config, redactor });
    const record = await describeRecord({ db, keys }, caller.who, capability);
    return { ...record, ...(warnings.length > 0 && { warnings }) };
  },
});
