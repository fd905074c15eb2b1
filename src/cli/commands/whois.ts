import { recordFields } from '../format-text.ts';
import { toolCommand } from '../tool-command.ts';

export const command = toolCommand({
  tool: 'cap_whois',
  usage: 'whois NAME',
  about:
    'Shows the whole record: who made it and when, version, trust, former names, statistics, tools and code.',
  completes: 'capabilities',
  positionals: [1, 1],
  input: ({ positionals: [name] }) => ({ name }),
  format: recordFields,
});
