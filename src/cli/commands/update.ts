import { PmlError } from '../../errors.ts';
import { callTool } from '../call-tool.ts';
import type { Command, Invocation } from '../command.ts';
import { indent } from '../format-text.ts';
import { argsOption, CACHE_POLICIES, oneOf, stringOption, wholeNumber } from '../option-values.ts';
import { readCode } from '../read-code.ts';
import { type ToolAnswer, toolCommand } from '../tool-command.ts';

const fromFile = toolCommand({
  tool: 'cap_update',
  usage: 'update NAME [FILE] [options]',
  about: `Makes a TypeScript file (- for standard input) the next version. Former versions stay callable: NAME@1.

  pml whois fs:read_json --json | jq -r .code > read.ts   # change it, then
  pml update fs:read_json read.ts --tag v1.1.0 --summary "reads comments too"
  pml update fs:read_json --from 1                        # go back to version 1

  --from VERSION  take the code of a former version instead of FILE: 1, v1.2.0 or a day
  --tag TAG       as in v1.2.0
  --summary TEXT  what changed
  --args JSON     try the code with these first
  --cache P       answer equal calls with the result of the first: memoize (in memory), persistent (in the store), none;
                  without FILE the code stays
  --ttl SECONDS   how long a result is good; 300 unless told
  --force         cache although it calls tools that are not marked read-only`,
  options: {
    from: { type: 'string' },
    tag: { type: 'string' },
    summary: { type: 'string' },
    args: { type: 'string' },
    cache: { type: 'string' },
    ttl: { type: 'string' },
    force: { type: 'boolean' },
  },
  completes: 'capabilities',
  positionals: [1, 2],
  input: async (invocation) => {
    const { values, positionals } = invocation;
    const [name, file] = positionals;
    if (!file)
      throw new PmlError(
        'bad_request',
        'update needs a FILE, --from VERSION or --cache POLICY. Try pml update --help.',
      );
    const { tag: version_tag, summary: change_summary } = values;
    const code = await readCode(file);
    return { name, code, version_tag, change_summary, ...argsOption(invocation), ...cachingOptions(values) };
  },
  format: ({ version, version_tag, replay, warnings = [] }) =>
    [`version ${version}${version_tag ? ` (${version_tag})` : ''}`, ...replayLines(replay), ...warnings].join(
      '\n',
    ),
});

export const command: Command = {
  ...fromFile,
  run: async (invocation) => {
    const { values, positionals } = invocation;
    const version = stringOption(invocation, 'from');
    if (version !== undefined) return goBackTo(version, invocation);
    const isCachingAlone = positionals.length === 1 && Object.keys(cachingOptions(values)).length > 0;
    await (isCachingAlone ? setCaching(invocation) : fromFile.run(invocation));
  },
};

function cachingOptions({ cache, ttl, force }: Invocation['values']): Record<string, unknown> {
  const seconds = wholeNumber(ttl, '--ttl', { least: 1 });
  const policy = oneOf(cache, '--cache', CACHE_POLICIES);
  return {
    ...(policy !== undefined && { cache_policy: policy }),
    ...(seconds !== undefined && { ttl: seconds }),
    ...(force !== undefined && { force }),
  };
}

/** Changes how results are cached, and nothing else. */
async function setCaching(invocation: Invocation): Promise<void> {
  const { values, positionals, terminal } = invocation;
  if ([values.tag, values.summary, values.args].some((value) => value !== undefined))
    throw new PmlError('bad_request', '--tag, --summary and --args need a FILE or --from VERSION.');
  const input = { name: positionals[0], ...cachingOptions(values) };
  const answer = await callTool(terminal, 'cap_rename', input, stringOption(invocation, 'config'));
  const { display_name, cache_policy, ttl } = answer;
  const said = cache_policy === 'none' ? 'is not cached' : `is cached (${cache_policy}) for ${ttl} s`;
  terminal.print(values.json ? JSON.stringify(answer) : `${display_name} ${said}`);
}

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
    ...cachingOptions(values),
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
