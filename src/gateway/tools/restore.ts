import { z } from 'zod';
import { describeRecord, restore } from '../../registry/index.ts';
import { WRITES } from './annotations.ts';
import { defineTool } from './define-tool.ts';
import { spelling } from './input-fields.ts';

export const restoreTool = defineTool({
  name: 'cap_restore',
  title: 'Bring a capability back',
  description: 'Bring a retired capability back.',
  input: z.strictObject({ name: spelling }),
  annotations: { ...WRITES, idempotentHint: true },
  run: async ({ name }, { db, keys, caller }) => {
    const restored = await restore({ db, keys }, caller.who, name);
    return describeRecord({ db, keys }, caller.who, restored);
  },
});
