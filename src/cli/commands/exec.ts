import { PmlError } from '../../errors.ts';
import { callTool } from '../call-tool.ts';
import type { Command } from '../command.ts';
import { argsOption, stringOption, wholeNumber } from '../option-values.ts';
import { printRun, WHOLE_RESULT } from '../print-run.ts';
import { readCode } from '../read-code.ts';

export const command: Command = {
  help: `Usage: pml exec --intent TEXT [--name NAME] [--args JSON] [--json] FILE

Runs a TypeScript file (- for standard input) in the sandbox, as an agent would with pml_execute, and prints what it
returns. Code that succeeds is remembered as a capability.

  pml exec --intent "read the version" --name pkg:version version.ts

  --intent TEXT  what it is for (required)
  --name NAME    the name to remember it by
  --args JSON    arguments, read in code as args.<key>
  --timeout MS   how long it may take
  --no-remember  do not remember it
  --json         print the whole answer`,
  options: {
    intent: { type: 'string' },
    name: { type: 'string' },
    args: { type: 'string' },
    timeout: { type: 'string' },
    'no-remember': { type: 'boolean' },
    config: { type: 'string' },
    json: { type: 'boolean' },
  },
  positionals: true,
  run: async (invocation) => {
    const { values, positionals, terminal } = invocation;
    const [file, ...rest] = positionals;
    if (!file || rest.length > 0)
      throw new PmlError('bad_request', 'exec needs one FILE. Try pml exec --help.');
    const intent = stringOption(invocation, 'intent');
    if (intent === undefined) {
      // A file that is not there is the first thing to fix.
      if (file !== '-') await readCode(file);
      throw new PmlError('bad_request', 'exec needs --intent TEXT, which says what the code is for.');
    }
    const timeout = wholeNumber(values.timeout, '--timeout', { least: 1 });
    const options = {
      max_result_bytes: WHOLE_RESULT,
      ...(timeout !== undefined && { timeout }),
      ...(values['no-remember'] && { remember: false }),
    };
    const input = {
      intent,
      code: await readCode(file),
      ...(typeof values.name === 'string' && { name: values.name }),
      ...argsOption(invocation),
      options,
    };
    const config = stringOption(invocation, 'config');
    printRun(invocation, await callTool(terminal, 'pml_execute', input, config));
  },
};
