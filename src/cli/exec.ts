import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { messageOf, PmlError } from '../errors.ts';
import { callTool } from './call.ts';
import type { Command, Invocation } from './command.ts';

export const execCommand: Command = {
  summary: 'run code over your tools, and remember it',
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
    if (typeof values.intent !== 'string') throw new PmlError('bad_request', 'exec needs --intent TEXT.');
    const options = {
      ...(typeof values.timeout === 'string' && { timeout: Number(values.timeout) }),
      ...(values['no-remember'] && { remember: false }),
    };
    const answer = await callTool(
      terminal,
      'pml_execute',
      {
        intent: values.intent,
        code: await readCode(file),
        ...(typeof values.name === 'string' && { name: values.name }),
        ...argsOf(invocation),
        options,
      },
      typeof values.config === 'string' ? values.config : undefined,
    );
    printAnswer(invocation, answer);
  },
};

/** The arguments that were given as JSON. */
export function argsOf({ values }: Invocation): { args?: Record<string, unknown> } {
  if (typeof values.args !== 'string') return {};
  try {
    const args = JSON.parse(values.args);
    if (typeof args === 'object' && args !== null && !Array.isArray(args)) return { args };
  } catch {
    // Said below.
  }
  throw new PmlError('bad_request', '--args must be a JSON object, as in --args \'{"path": "a.json"}\'');
}

/** A person wants the result, and to know what it is called from now on; a program gets all of it. */
export function printAnswer({ values, terminal }: Invocation, answer: Record<string, unknown>): void {
  if (values.json) {
    terminal.print(JSON.stringify(answer));
    return;
  }
  const { result, capabilityName, warnings = [], logs = [] } = answer;
  for (const { text } of logs as { text: string }[]) terminal.warn(text);
  for (const warning of warnings as string[]) terminal.warn(warning);
  terminal.print(typeof result === 'string' ? result : JSON.stringify(result, null, 2));
  if (capabilityName) terminal.progress(`remembered as ${capabilityName}`);
}

export async function readCode(file: string): Promise<string> {
  try {
    // A pipe that is empty for the moment must be waited for: reading it at once fails with EAGAIN.
    return file === '-' ? await text(process.stdin) : readFileSync(file, 'utf8');
  } catch (error) {
    throw new PmlError('bad_request', `${file} cannot be read: ${messageOf(error)}`);
  }
}
