import { PmlError } from '../../errors.ts';
import { callTool } from '../call-tool.ts';
import type { Command, Invocation } from '../command.ts';
import { percent } from '../format-text.ts';
import { oneOf, stringOption, wholeNumber } from '../option-values.ts';
import { outcomeLines, review } from '../review.ts';
import { table } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import type { ToolAnswer } from '../tool-command.ts';

export const command: Command = {
  help: `Usage: pml curate [--mode suggest|auto|apply] [--dry-run] [options] [--json]

Suggests names for capabilities and twins to fold into one. Without --mode it shows one after the other on a terminal: accept,
edit, skip, refuse, all or quit.

  pml curate
  pml curate --mode auto
  pml curate --mode apply --rename unnamed_a7f3b2c1=fs:read_json --merge fs:read_json=fs:load_json

  --mode suggest      print the suggestions
  --mode auto         apply the suggestions whose confidence is above curation.minConfidence
  --mode apply        apply what these say: --rename ID=NAME, --merge KEEP=ID,ID, --refuse ID, --accept PROPOSAL
  --dry-run           print exactly what would be sent to the model, and do nothing
  --all               also capabilities that have a name
  --namespace NS      only those of a namespace; a glob
  --min-usage N       only those that were called at least N times
  --json              print exactly what cap_curate answers`,
  options: {
    mode: { type: 'string' },
    'dry-run': { type: 'boolean' },
    all: { type: 'boolean' },
    namespace: { type: 'string' },
    'min-usage': { type: 'string' },
    rename: { type: 'string', multiple: true },
    merge: { type: 'string', multiple: true },
    refuse: { type: 'string', multiple: true },
    accept: { type: 'string', multiple: true },
    config: { type: 'string' },
    json: { type: 'boolean' },
  },
  run: async (invocation) => {
    const { values, terminal } = invocation;
    const mode = oneOf(values.mode, '--mode', ['suggest', 'auto', 'apply']);
    const config = stringOption(invocation, 'config');
    const call = (tool: string, input: Record<string, unknown>) => callTool(terminal, tool, input, config);
    const filter = filterOf(invocation);
    if (mode === undefined && !values['dry-run']) {
      if (!terminal.interactive || values.json)
        throw new PmlError(
          'bad_request',
          'A review needs a terminal. Say what to do: --mode suggest, auto or apply.',
        );
      return review(terminal, call, filter);
    }
    const answer = await call('cap_curate', inputOf(invocation, mode, filter));
    terminal.print(values.json ? JSON.stringify(answer) : format(answer, terminal));
  },
};

function filterOf(invocation: Invocation): Record<string, unknown> {
  const { values } = invocation;
  const namespace = stringOption(invocation, 'namespace');
  const minUsage = wholeNumber(values['min-usage'], '--min-usage');
  return {
    unnamed_only: !values.all,
    ...(namespace !== undefined && { namespace }),
    ...(minUsage !== undefined && { min_usage: minUsage }),
  };
}

function inputOf(
  { values }: Invocation,
  mode: string | undefined,
  filter: Record<string, unknown>,
): Record<string, unknown> {
  if (mode !== 'apply')
    return { mode: mode ?? 'suggest', filter, ...(values['dry-run'] && { dry_run: true }) };
  const renames = pairsOf(values.rename, '--rename ID=NAME').map(([id, name]) => ({ id, name }));
  const merges = pairsOf(values.merge, '--merge KEEP=ID,ID').map(([keep, fold]) => ({
    keep,
    fold: fold.split(','),
  }));
  return {
    mode,
    ...(renames.length > 0 && { renames }),
    ...(merges.length > 0 && { merges }),
    ...(values.refuse && { refuse: values.refuse }),
    ...(values.accept && { accept: values.accept }),
  };
}

function pairsOf(given: unknown, form: string): [string, string][] {
  return ((given ?? []) as string[]).map((text) => {
    const at = text.indexOf('=');
    if (at <= 0 || at === text.length - 1) throw new PmlError('bad_request', `Write ${form}.`);
    return [text.slice(0, at), text.slice(at + 1)];
  });
}

function format(answer: ToolAnswer, terminal: Terminal): string {
  const { suggestions, merges = [], proposals = [], notes = [], would_send: sent } = answer;
  const rows = suggestions.map((one: ToolAnswer) => [
    one.currentName,
    one.suggestedName,
    percent(one.confidence),
    one.id,
  ]);
  const lines = [
    ...(rows.length > 0 ? [table(['NAME', 'SUGGESTED', 'CONFIDENCE', 'ID'], rows, terminal)] : []),
    ...outcomeLines(answer),
    ...merges.map(
      (one: ToolAnswer) => `Fold ${one.foldNames.join(', ')} into ${one.keepName}. ${one.reasoning}`,
    ),
    ...proposals.map((one: ToolAnswer) => `Proposal ${one.id}: ${one.calls} (${one.times} times)`),
    ...notes,
    ...(sent ? [sentText(sent)] : []),
  ];
  return lines.length > 0 ? lines.join('\n') : 'There is nothing to curate.';
}

/** The requests as they would leave the machine. */
function sentText({ to, model, prompts }: ToolAnswer): string {
  const texts = prompts.map(
    ({ system, user }: ToolAnswer, at: number) =>
      `--- request ${at + 1}, system:\n${system}\n--- user:\n${user}`,
  );
  return [`${prompts.length} requests would be sent to ${to}, model ${model}:`, ...texts].join('\n');
}
