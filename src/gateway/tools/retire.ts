import { z } from 'zod';
import { describe, restore, retire } from '../../registry/index.ts';
import { defineTool } from './define.ts';
import { CHANGES, spelling } from './fields.ts';

export const retireTool = defineTool({
  name: 'cap_retire',
  title: 'Take a capability out of use',
  description:
    'Take a capability out of use: it is no longer listed nor callable. Its name stays reserved for a while, and cap_restore brings it back.',
  input: z.strictObject({ name: spelling.describe('Name of the capability') }),
  annotations: { ...CHANGES, destructiveHint: true, idempotentHint: false },
  run: async ({ name }, { workspace, caller }) => {
    const { reserveDays } = workspace.config.names;
    const retired = await retire(workspace, caller.who, name, reserveDays);
    return describe(workspace, caller.who, retired);
  },
});

export const restoreTool = defineTool({
  name: 'cap_restore',
  title: 'Bring a capability back',
  description: 'Bring back a capability that was retired, by its name, id or full name.',
  input: z.strictObject({ name: spelling.describe('Name of the retired capability') }),
  annotations: { ...CHANGES, idempotentHint: true },
  run: async ({ name }, { workspace, caller }) =>
    describe(workspace, caller.who, await restore(workspace, caller.who, name)),
});
