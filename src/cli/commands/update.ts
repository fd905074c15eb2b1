import { PmlError } from '../../errors.ts';
import { callTool } from '../call-tool.ts';
import type { Command, Invocation } from '../command.ts';
import { indent } from '../format.ts';
import { argsOption, stringOption } from '../option-values.ts';
import { readCode } from '../read-code.ts';
import { type ToolAnswer, toolCommand } from '../tool-command.ts';

const fromFile = toolCommand({
  tool: 'cap_update',
  usage: 'update NAME FILE [options]',
  about: `Makes a TypeScript file (- for standard input) the next version. Former versions stay callable: NAME@1.

  pml whois fs:read_json --json | jq -r .code > read.ts   # change it, then
  pml update fs:read_json read.ts --tag v1.1.0 --summary "reads comments too"
  pml update fs:read_json --from 1                        # go back to version 1

  --from VERSION  take the code of a former version instead of FILE: 1, v1.2.0 or a day
  --tag TAG       as in v1.2.0
  --summary TEXT  what changed
  --args JSON     try the code with these first`,
  options: {
    from: { type: 'string' },
    tag: { type: 'string' },
    summary: { type: 'string' },
    args: { type: 'string' },
  },
  positionals: [1, 2],
  input: async (invocation) => {
    const { values, positionals } = invocation;
    const [name, file] = positionals;
    if (!file)
      throw new PmlError('bad_request', 'update needs a FILE or --from VERSION. Try pml update --help.');
    const { tag: version_tag, summary: change_summary } = values;
    return { name, code: await readCode(file), version_tag, change_summary, ...argsOption(invocation) };
  },
  format: ({ version, version_tag, replay, warnings = [] }) =>
    [`version ${version}${version_tag ? ` (${version_tag})` : ''}`, ...replayLines(replay), ...warnings].join(
      '\n',
    ),
});

export const command: Command = {
  ...fromFile,
  run: async (invocation) => {
    const version = stringOption(invocation, 'from');
    await (version === undefined ? fromFile.run(invocation) : goBackTo(version, invocation));
  },
};

/** Makes the code of a former version the next one. */
async function goBackTo(from: string, invocation: Invocation): Promise<void> {
  const { values, positionals, terminal } = invocation;
  if (positionals.length !== 1) throw new PmlError('bad_request', 'Give either a FILE or --from VERSION.');
  const [name] = positionals;
  const config = stringOption(invocation, 'config');
  const former = await callTool(terminal, 'cap_whois', { name: `${name}@${from}` }, config);
  const { code, version, version_tag: tag, warnings = [] } = former as ToolAnswer;
  const source = `version ${version}${tag ? ` (${tag})` : ''}`;
  const input = {
    name,
    code,
    change_summary: values.summary ?? `back to ${source}`,
    ...(values.tag !== undefined && { version_tag: values.tag }),
    ...argsOption(invocation),
  };
  const answer = await callTool(terminal, 'cap_update', input, config);
  for (const warning of warnings) terminal.warn(warning);
  terminal.print(
    values.json ? JSON.stringify(answer) : `version ${answer.version}, with the code of ${source}`,
  );
}

/** Says how the new code did on the recorded runs; nothing if there are none. */
function replayLines({ passed, failed, differences }: ToolAnswer): string[] {
  if (passed + failed === 0) return [];
  return [`${passed} of ${passed + failed} recorded runs do the same as before`, ...differences.map(indent)];
}
