import { PmlError } from '../errors.ts';
import { callTool } from './call.ts';
import type { Command } from './command.ts';
import { argsOf, printAnswer } from './exec.ts';

export const runCommand: Command = {
  summary: 'call a capability by name',
  help: `Usage: pml run NAME [--args JSON] [--json]

Calls a remembered capability, with arguments over its defaults, and prints what it returns.

  pml run pkg:version --args '{"path": "package.json"}'`,
  options: { args: { type: 'string' }, config: { type: 'string' }, json: { type: 'boolean' } },
  positionals: true,
  run: async (invocation) => {
    const { values, positionals, terminal } = invocation;
    const [name, ...rest] = positionals;
    if (!name || rest.length > 0)
      throw new PmlError('bad_request', 'run needs one NAME. Try pml run --help.');
    const input = { intent: `run ${name}`, capability: name, ...argsOf(invocation) };
    const config = typeof values.config === 'string' ? values.config : undefined;
    printAnswer(invocation, await callTool(terminal, 'pml_execute', input, config));
  },
};
