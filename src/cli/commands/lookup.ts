import { recordFields } from '../format.ts';
import { toolCommand } from '../tool-command.ts';

export const command = toolCommand({
  tool: 'cap_lookup',
  usage: 'lookup NAME',
  about: `Finds a capability by any spelling: its name, a former name, its full name, with @v1, @v1.2.0 or @2025-12-22.

  pml lookup fs:read_json@v1`,
  positionals: [1, 1],
  input: ({ positionals: [name] }) => ({ name }),
  format: recordFields,
});
