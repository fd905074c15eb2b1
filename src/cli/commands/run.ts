import type { CallableEntry } from '../../daemon/index.ts';
import { errorOf, type ToolResult } from '../../tool-client.ts';
import { sendAdminRequest } from '../admin-request.ts';
import { callAnyTool, callTool } from '../call-tool.ts';
import type { Command, Invocation } from '../command.ts';
import { argumentsFromFlags, assertRequired, usageOf } from '../flag-arguments.ts';
import { argsOption, stringOption } from '../option-values.ts';
import { wrongUse } from '../parse-arguments.ts';
import { printRun, WHOLE_RESULT } from '../print-run.ts';
import { printable } from '../table.ts';

export const command: Command = {
  help: `Usage: pml run NAME [--PARAMETER VALUE…] [--args JSON] [--json]

Calls a remembered capability, or a tool of a server, and prints what it returns. Each parameter is a flag.
Optional parameters of a capability that you omit keep the values of its first run.

  pml run pkg:version --path package.json
  pml run filesystem:read_text_file --path package.json
  pml run pkg:version --help                                shows the parameters of one
  pml run pkg:version --args '{"path": "package.json"}'     for parameters that no flag can say

  A list is a flag that is repeated, or JSON. --deep and --no-deep say true and false.

  --args JSON  arguments as a JSON object; flags add to them
  --json       print the whole answer`,
  options: { args: { type: 'string' }, config: { type: 'string' }, json: { type: 'boolean' } },
  positionals: true,
  takesFlags: true,
  completes: 'callables',
  helpFor: async (invocation) => {
    if (invocation.positionals.length !== 1) return undefined;
    return usageOf(await findCallee(invocation));
  },
  run: async (invocation) => {
    const { flags, terminal } = invocation;
    const callee = await findCallee(invocation);
    const args = { ...argsOption(invocation).args, ...argumentsFromFlags(callee, flags) };
    const config = stringOption(invocation, 'config');
    const { kind, name } = callee;
    if (kind === 'tool') {
      assertRequired(callee, args);
      printResult(invocation, await callAnyTool(terminal, name, args, config));
      return;
    }
    const options = { max_result_bytes: WHOLE_RESULT };
    const input = { intent: `run ${name}`, capability: name, args, options };
    printRun(invocation, await callTool(terminal, 'pml_execute', input, config));
  },
};

function findCallee(invocation: Invocation): Promise<CallableEntry> {
  const { positionals, terminal } = invocation;
  const [name, ...rest] = positionals;
  if (!name || rest.length > 0) throw wrongUse('run', 'say one NAME. Its parameters are flags.');
  const config = stringOption(invocation, 'config');
  return sendAdminRequest<CallableEntry>(terminal, { do: 'find_callable', name }, config);
}

/** Prints what a tool of a server answered. */
function printResult({ values, terminal }: Invocation, result: ToolResult): void {
  if (result.isError) throw errorOf(result);
  terminal.print(values.json ? JSON.stringify(result) : resultText(result));
}

/** The text of an answer, else its data. */
function resultText({ content = [], structuredContent }: ToolResult): string {
  if (content.length === 0 && structuredContent) return JSON.stringify(structuredContent, null, 2);
  const parts = content.map((part) => (part.text === undefined ? described(part) : printable(part.text)));
  return parts.join('\n');
}

function described({
  type,
  ...rest
}: {
  type: string;
  mimeType?: string;
  data?: string;
  uri?: string;
}): string {
  if (rest.data !== undefined)
    return `(${rest.mimeType ?? type}, ${rest.data.length} characters of base64: --json prints them)`;
  return JSON.stringify({ type, ...rest });
}
