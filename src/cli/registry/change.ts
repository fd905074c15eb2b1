import { PmlError } from '../../errors.ts';
import { callTool } from '../call.ts';
import type { Command } from '../command.ts';
import { argsOf, readCode } from '../exec.ts';
import { type Answer, listOf, toolCommand } from './tool-command.ts';

/** What an update changed, as far as recorded runs can tell. */
function replayed({ passed, failed, differences }: Answer): string[] {
  if (passed + failed === 0) return [];
  return [
    `${passed} of ${passed + failed} recorded runs do the same as before`,
    ...differences.map(indented),
  ];
}

const indented = (line: string) => `  ${line}`;

const done = ({ display_name, version, warnings = [] }: Answer, verb: string) =>
  [`${display_name} (v${version}) ${verb}`, ...warnings].join('\n');

export const renameCommand = toolCommand({
  tool: 'cap_rename',
  summary: 'rename or describe a capability',
  usage: 'rename NAME [NEW_NAME] [options]',
  about: `Gives a capability another name, description, tags, visibility or routing. The old name keeps working.

  pml rename unnamed_a7f3b2c1 fs:read_json --tags json,config --visibility project

  --description TEXT
  --tags A,B      all of its tags; '' for none
  --visibility V  private, project, org or public
  --routing R     local or cloud`,
  options: {
    description: { type: 'string' },
    tags: { type: 'string' },
    visibility: { type: 'string' },
    routing: { type: 'string' },
  },
  words: [1, 2],
  input: ({ values: { description, tags, visibility, routing }, positionals: [name, new_name] }) => ({
    ...{ name, new_name, description, visibility, routing },
    tags: listOf(tags),
  }),
  show: (answer) => done(answer, 'changed'),
});

const update = toolCommand({
  tool: 'cap_update',
  summary: 'give a capability new code, as its next version',
  usage: 'update NAME FILE [options]',
  about: `Makes a TypeScript file (- for standard input) the next version. Former versions stay callable: NAME@v1.

  pml whois fs:read_json --json | jq -r .code > read.ts   # change it, then
  pml update fs:read_json read.ts --tag v1.1.0 --summary "reads comments too"
  pml update fs:read_json --from v1                       # go back to a former version

  --from VERSION  take the code of a former version instead of FILE
  --tag TAG       as in v1.2.0
  --summary TEXT  what changed
  --args JSON     try the code with these first`,
  options: {
    from: { type: 'string' },
    tag: { type: 'string' },
    summary: { type: 'string' },
    args: { type: 'string' },
  },
  words: [1, 2],
  input: async (invocation) => {
    const { values, positionals } = invocation;
    const [name, file] = positionals;
    if (!file)
      throw new PmlError('bad_request', 'update needs a FILE or --from VERSION. Try pml update --help.');
    const { tag: version_tag, summary: change_summary } = values;
    return { name, code: await readCode(file), version_tag, change_summary, ...argsOf(invocation) };
  },
  show: ({ version, version_tag, replay, warnings = [] }) =>
    [`version ${version}${version_tag ? ` (${version_tag})` : ''}`, ...replayed(replay), ...warnings].join(
      '\n',
    ),
});

/** Going back is an update from the code that a former version shows. */
export const updateCommand: Command = {
  ...update,
  run: async (invocation) => {
    const { values, positionals, terminal } = invocation;
    const { from, ...rest } = values;
    if (typeof from !== 'string') return update.run(invocation);
    if (positionals.length !== 1) throw new PmlError('bad_request', 'Give either a FILE or --from VERSION.');
    const [name] = positionals;
    const config = typeof values.config === 'string' ? values.config : undefined;
    const { code } = await callTool(terminal, 'cap_whois', { name: `${name}@${from}` }, config);
    const answer = await callTool(
      terminal,
      'cap_update',
      {
        name,
        code,
        change_summary: rest.summary ?? `back to ${from}`,
        ...(rest.tag !== undefined && { version_tag: rest.tag }),
        ...argsOf(invocation),
      },
      config,
    );
    terminal.print(values.json ? JSON.stringify(answer) : `version ${answer.version}, as ${from} was`);
  },
};

export const verifyCommand = toolCommand({
  tool: 'cap_verify',
  summary: 'try a capability on its recorded runs',
  usage: 'verify NAME',
  about: `Runs it again on the recordings of its runs. Every call is answered from the recording, so nothing happens; it is
verified if it makes the same calls and returns the same.`,
  words: [1, 1],
  input: ({ positionals: [name] }) => ({ name }),
  show: ({ verified, runs, hint }) => {
    const lines = runs.flatMap(({ run, passed, differences }: Answer) => [
      `${passed ? 'passed' : 'failed'}  run ${run}`,
      ...differences.map(indented),
    ]);
    return [verified ? 'verified' : 'not verified', ...lines, ...(hint ? [hint] : [])].join('\n');
  },
});

export const forkCommand = toolCommand({
  tool: 'cap_fork',
  summary: 'copy a capability under a name of your own',
  usage: 'fork SOURCE NAME',
  about: 'Copies a capability that you can see, at any version (SOURCE@v1), to change it.',
  words: [2, 2],
  input: ({ positionals: [source, name] }) => ({ source, name }),
  show: (answer) => done(answer, 'made'),
});

export const mergeCommand = toolCommand({
  tool: 'cap_merge',
  summary: 'make one capability of several',
  usage: 'merge SOURCE SOURCE… --name NAME [--code FILE]',
  about: `Runs them one after the other, the result of each going into the next; or as the code in FILE says.

  pml merge fs:read_json data:summarise --name report:make`,
  options: { name: { type: 'string' }, code: { type: 'string' } },
  words: [2, 20],
  input: async ({ values, positionals }) => {
    if (typeof values.name !== 'string') throw new PmlError('bad_request', 'merge needs --name NAME.');
    const code = typeof values.code === 'string' ? await readCode(values.code) : undefined;
    return { sources: positionals, name: values.name, code };
  },
  show: (answer) => done(answer, 'made'),
});

export const retireCommand = toolCommand({
  tool: 'cap_retire',
  summary: 'take a capability out of use',
  usage: 'retire NAME',
  about: 'Takes it out of every list. Its name stays reserved for a while; pml restore brings it back.',
  words: [1, 1],
  input: ({ positionals: [name] }) => ({ name }),
  show: (answer) => done(answer, 'retired'),
});

export const restoreCommand = toolCommand({
  tool: 'cap_restore',
  summary: 'bring a retired capability back',
  usage: 'restore NAME',
  about: 'Brings back a capability that was retired, by its name, id or full name.',
  words: [1, 1],
  input: ({ positionals: [name] }) => ({ name }),
  show: (answer) => done(answer, 'is back'),
});
