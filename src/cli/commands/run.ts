import { PmlError } from '../../errors.ts';
import { callTool } from '../call-tool.ts';
import type { Command } from '../command.ts';
import { argsOption, stringOption } from '../option-values.ts';
import { printRun, WHOLE_RESULT } from '../print-run.ts';

export const command: Command = {
  help: `Usage: pml run NAME [--args JSON] [--json]

Calls a remembered capability, with arguments over its defaults, and prints what it returns.

  pml run pkg:version --args '{"path": "package.json"}'`,
  options: { args: { type: 'string' }, config: { type: 'string' }, json: { type: 'boolean' } },
  positionals: true,
  run: async (invocation) => {
    const { positionals, terminal } = invocation;
    const [name, ...rest] = positionals;
    if (!name || rest.length > 0)
      throw new PmlError('bad_request', 'run needs one NAME. Try pml run --help.');
    const options = { max_result_bytes: WHOLE_RESULT };
    const input = { intent: `run ${name}`, capability: name, ...argsOption(invocation), options };
    const config = stringOption(invocation, 'config');
    printRun(invocation, await callTool(terminal, 'pml_execute', input, config));
  },
};
