import { recordChanged } from '../format-text.ts';
import { toolCommand } from '../tool-command.ts';

export const command = toolCommand({
  tool: 'cap_retire',
  usage: 'retire NAME',
  about:
    'Removes a capability from every list. Its name stays reserved for a while; pml restore brings it back.',
  completes: 'capabilities',
  positionals: [1, 1],
  input: ({ positionals: [name] }) => ({ name }),
  format: (answer) => recordChanged(answer, 'retired'),
});
