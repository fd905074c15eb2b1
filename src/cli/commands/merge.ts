import { PmlError } from '../../errors.ts';
import { recordChanged } from '../format-text.ts';
import { readCode } from '../read-code.ts';
import { toolCommand } from '../tool-command.ts';

export const command = toolCommand({
  tool: 'cap_merge',
  usage: 'merge SOURCE SOURCE… --name NAME [--code FILE]',
  about: `Makes a pipeline, which runs the sources in order and passes each result to the next; or uses the code in FILE.

  pml merge fs:read_json data:summarise --name report:make`,
  options: { name: { type: 'string' }, code: { type: 'string' } },
  completes: 'capabilities',
  positionals: [2, 20],
  input: async ({ values, positionals }) => {
    if (typeof values.name !== 'string') throw new PmlError('bad_request', 'merge needs --name NAME.');
    const code = typeof values.code === 'string' ? await readCode(values.code) : undefined;
    return { sources: positionals, name: values.name, code };
  },
  format: (answer) => recordChanged(answer, 'made'),
});
