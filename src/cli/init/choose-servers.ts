import { PmlError } from '../../errors.ts';
import type { Candidate } from './merge-servers.ts';
import type { Choice, Prompts } from './prompts.ts';
import { summary } from './report.ts';

interface Conversation {
  yes: boolean;
  interactive: boolean;
  prompts: Prompts;
  print(line: string): void;
}

/** Lets a person pick servers, grouped by client. Servers that are disabled in their client start unselected. */
export async function chooseServers(
  candidates: readonly Candidate[],
  { yes, interactive, prompts, print }: Conversation,
): Promise<Candidate[]> {
  const enabled = candidates.filter(({ isDisabled }) => !isDisabled);
  if (candidates.length === 0) return [];
  if (yes) {
    for (const { name, isDisabled, from } of candidates)
      if (isDisabled) print(`  ${name}: left out: switched off in ${clientsOf({ from })}`);
    return enabled;
  }
  if (!interactive) {
    for (const { name, entry } of candidates) print(`  ${name}: ${summary(entry)}`);
    throw new PmlError(
      'bad_request',
      'PML cannot ask which servers to take here: pass --yes to take all of them.',
    );
  }
  const groups: Record<string, Choice<Candidate>[]> = {};
  for (const candidate of candidates) {
    const client = candidate.from[0]?.client ?? 'file';
    groups[client] ??= [];
    groups[client].push({ value: candidate, label: labelOf(candidate), hint: hintOf(candidate) });
  }
  return prompts.pick('Which servers shall PML serve?', groups, enabled);
}

function labelOf({ name, entry }: Candidate): string {
  return `${name}  ${summary(entry)}`;
}

function hintOf({ from, notes, isDisabled }: Candidate): string {
  const others = clientsOf({ from: from.slice(1) });
  return [
    ...(others ? [`also in ${others}`] : []),
    ...(isDisabled ? ['switched off there'] : []),
    ...notes,
  ].join('; ');
}

function clientsOf({ from }: Pick<Candidate, 'from'>): string {
  return [...new Set(from.map(({ client }) => client))].join(', ');
}
