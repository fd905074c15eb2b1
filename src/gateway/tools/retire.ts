import { z } from 'zod';
import { describeRecord, retire } from '../../registry/index.ts';
import { WRITES } from './annotations.ts';
import { defineTool } from './define-tool.ts';
import { spelling } from './input-fields.ts';

export const retireTool = defineTool({
  name: 'cap_retire',
  title: 'Take a capability out of use',
  description: 'Take a capability out of use.',
  input: z.strictObject({ name: spelling }),
  annotations: { ...WRITES, destructiveHint: true, idempotentHint: false },
  run: async ({ name }, { db, keys, config, caller }) => {
    const retired = await retire({ db, keys }, caller.who, name, config.names.reserveDays);
    return describeRecord({ db, keys }, caller.who, retired);
  },
});
