import { recordChanged } from '../format-text.ts';
import { toolCommand } from '../tool-command.ts';

export const command = toolCommand({
  tool: 'cap_fork',
  usage: 'fork SOURCE NAME',
  about: 'Copies a capability that you can see, at any version (SOURCE@1), to change it.',
  completes: 'capabilities',
  positionals: [2, 2],
  input: ({ positionals: [source, name] }) => ({ source, name }),
  format: (answer) => recordChanged(answer, 'made'),
});
