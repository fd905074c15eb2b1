import { PmlError } from '../../errors.ts';
import { recordChanged } from '../format-text.ts';
import { toolCommand } from '../tool-command.ts';

export const command = toolCommand({
  tool: 'cap_feedback',
  usage: 'feedback NAME good|bad [--note TEXT]',
  about: `Says whether a capability did what you needed. This counts as evidence, as the outcome of a call does.

  pml feedback fs:read_json bad --note 'drops the last line'

  --note TEXT  what was good or wrong`,
  options: { note: { type: 'string' } },
  completes: 'capabilities',
  positionals: [2, 2],
  input: ({ values: { note }, positionals: [name, verdict = ''] }) => ({
    ...{ name, note },
    success: isGood(verdict),
  }),
  format: (answer) => recordChanged(answer, 'has your feedback'),
});

function isGood(verdict: string): boolean {
  if (verdict === 'good' || verdict === 'bad') return verdict === 'good';
  throw new PmlError('bad_request', `"${verdict}" is neither "good" nor "bad".`);
}
