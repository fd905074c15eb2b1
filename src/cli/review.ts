import { firstLine, indent, percent } from './format-text.ts';
import type { Terminal } from './terminal.ts';
import type { ToolAnswer } from './tool-command.ts';

/** Calls a tool of PML's own. */
export type CallTool = (tool: string, input: Record<string, unknown>) => Promise<ToolAnswer>;

const SHOWN_LINES = 20;
const QUESTION = 'accept, edit, skip, refuse, all, quit? [skip] ';

/** Shows suggestions one by one to a person, and does at once what the person decides. */
export async function review(terminal: Terminal, call: CallTool, filter: ToolAnswer): Promise<void> {
  const {
    suggestions,
    merges = [],
    proposals = [],
    notes = [],
  } = await call('cap_curate', { mode: 'suggest', filter });
  for (const note of notes) terminal.print(terminal.style('dim', note));
  const total = suggestions.length + merges.length + proposals.length;
  if (total === 0) return terminal.print('There is nothing to curate.');
  if (!(await reviewNames(terminal, call, suggestions))) return;
  if (!(await reviewFolds(terminal, call, merges))) return;
  await reviewProposals(terminal, call, proposals);
}

/** Returns false if the person quits. */
async function reviewNames(terminal: Terminal, call: CallTool, suggestions: ToolAnswer[]): Promise<boolean> {
  for (const [at, suggestion] of suggestions.entries()) {
    const { code } = await call('cap_whois', { name: suggestion.id });
    terminal.print(`\n${at + 1} of ${suggestions.length}\n${describeSuggestion(suggestion, code, terminal)}`);
    const answer = await decide(terminal, call, suggestion);
    if (answer === 'quit') return false;
    if (answer !== 'all') continue;
    const renames = suggestions.slice(at).map(({ id, suggestedName }) => ({ id, name: suggestedName }));
    report(terminal, await call('cap_curate', { mode: 'apply', renames }));
    return true;
  }
  return true;
}

/** Asks until something is decided. A name that cannot be given is asked for again. */
async function decide(
  terminal: Terminal,
  call: CallTool,
  { id, suggestedName }: ToolAnswer,
): Promise<'next' | 'all' | 'quit'> {
  for (;;) {
    const typed = ((await ask(terminal, QUESTION)) ?? 'quit').toLowerCase();
    const choice =
      typed === 'a'
        ? 'accept'
        : ['accept', 'edit', 'skip', 'refuse', 'all', 'quit'].find((one) => one.startsWith(typed || 'skip'));
    if (choice === 'skip') return 'next';
    if (choice === 'quit' || choice === 'all') return choice;
    if (choice === undefined) continue;
    const name = choice === 'edit' ? ((await ask(terminal, 'Its name: ')) ?? '') : suggestedName;
    if (name === '') continue;
    const input = choice === 'refuse' ? { refuse: [id] } : { renames: [{ id, name }] };
    const answer = await call('cap_curate', { mode: 'apply', ...input });
    report(terminal, answer);
    if (choice === 'refuse' || answer.applied.length > 0) return 'next';
  }
}

async function reviewFolds(terminal: Terminal, call: CallTool, merges: ToolAnswer[]): Promise<boolean> {
  for (const { keep, keepName, fold, foldNames, reasoning } of merges) {
    terminal.print(
      `\n${terminal.style('bold', `Fold ${foldNames.join(', ')} into ${keepName}`)}\n${indent(reasoning)}`,
    );
    const answer = await yesOrNo(terminal, 'Fold? yes, no, quit [no] ');
    if (answer === 'quit') return false;
    if (answer) report(terminal, await call('cap_curate', { mode: 'apply', merges: [{ keep, fold }] }));
  }
  return true;
}

async function reviewProposals(terminal: Terminal, call: CallTool, proposals: ToolAnswer[]): Promise<void> {
  for (const { id, calls, times, replay, code } of proposals) {
    const title = terminal.style('bold', `You made these calls ${times} times: ${calls}`);
    terminal.print(`\n${title}\n${shownCode(code)}\n${indent(`replay: ${replay}`)}`);
    const answer = await yesOrNo(terminal, 'Remember this program? yes, no, quit [no] ');
    if (answer === 'quit') return;
    if (answer) report(terminal, await call('cap_curate', { mode: 'apply', accept: [id] }));
  }
}

/** Asks; undefined if the person presses ctrl-C or ctrl-D instead. */
async function ask(terminal: Terminal, question: string): Promise<string | undefined> {
  try {
    return await terminal.ask(question);
  } catch (error) {
    if ((error as Error).name === 'AbortError') return undefined;
    throw error;
  }
}

async function yesOrNo(terminal: Terminal, question: string): Promise<boolean | 'quit'> {
  const typed = ((await ask(terminal, question)) ?? 'quit').toLowerCase();
  return typed.startsWith('q') ? 'quit' : typed.startsWith('y');
}

function describeSuggestion(suggestion: ToolAnswer, code: string, terminal: Terminal): string {
  const { currentName, suggestedName, description, tags, confidence, reasoning, source } = suggestion;
  const made = source === 'heuristics' ? 'by rules' : `by ${source}`;
  return [
    `${currentName} → ${terminal.style('bold', suggestedName)}  ${percent(confidence)}, ${made}`,
    indent(firstLine(description, 200)),
    ...(tags.length > 0 ? [indent(`tags: ${tags.join(', ')}`)] : []),
    indent(terminal.style('dim', reasoning)),
    shownCode(code),
  ].join('\n');
}

function shownCode(code: string): string {
  const lines = code.trimEnd().split('\n');
  const more = lines.length - SHOWN_LINES;
  const shown = lines.slice(0, SHOWN_LINES).map((line) => `  │ ${firstLine(line, 150)}`);
  return [...shown, ...(more > 0 ? [`  │ … ${more} lines more`] : [])].join('\n');
}

/** Says what was done and what was not, and why. */
export function report(terminal: Terminal, answer: ToolAnswer): void {
  for (const line of outcomeLines(answer)) terminal.print(line);
}

export function outcomeLines({ applied, skipped }: ToolAnswer): string[] {
  return [
    ...applied.map(({ from, to, undo }: ToolAnswer) => `${from} is now ${to}${undo ? ` (${undo})` : ''}`),
    ...skipped.map(({ id, why }: ToolAnswer) => `${id} was not changed: ${why}`),
  ];
}
