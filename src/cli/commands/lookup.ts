import { recordFields } from '../format-text.ts';
import { toolCommand } from '../tool-command.ts';

export const command = toolCommand({
  tool: 'cap_lookup',
  usage: 'lookup NAME',
  about: `Finds a capability by any spelling: its name, a former name, its full name, with @1 (the first version), @v1.2.0 (a tag), @v1 (the highest
tag of major 1, else the first version) or @2025-12-22.

  pml lookup fs:read_json@1`,
  completes: 'capabilities',
  positionals: [1, 1],
  input: ({ positionals: [name] }) => ({ name }),
  format: recordFields,
});
