import { recordChanged } from '../format-text.ts';
import { toolCommand } from '../tool-command.ts';

export const command = toolCommand({
  tool: 'cap_restore',
  usage: 'restore NAME',
  about: 'Brings back a retired capability, by its name, id or full name.',
  positionals: [1, 1],
  input: ({ positionals: [name] }) => ({ name }),
  format: (answer) => recordChanged(answer, 'is back'),
});
