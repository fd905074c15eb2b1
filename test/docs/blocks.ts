import { pmlWords, wordsOf } from './command-lines.ts';

/** Programs of others that are not installed here. `command-lines.test.ts` checks the PML command in their lines. */
const FOREIGN = new Set(['npm', 'npx', 'claude', 'codex', 'gemini', 'code', 'git', 'docker']);

/** Commands of PML that wait for a person or a client, need a model, or would change or end what all blocks share. */
const NOT_HERE: readonly RegExp[] = [
  /^(serve|up|down|init|add|remove|dashboard)\b/,
  /^curate$/,
  /^agent run\b/,
  /^logs\b.*-f\b/,
];

/** Says whether a line of a script can run here. */
export function canRun(line: string): boolean {
  const words = wordsOf(line);
  if (FOREIGN.has(words[0] ?? '')) return false;
  const command = pmlWords(words)?.join(' ');
  return command === undefined || !NOT_HERE.some((pattern) => pattern.test(command));
}

/** One command of a console block, and the output that the block shows below it. */
export interface Step {
  command: string;
  expected: string;
}

/** Splits a console block: `$ ` begins a command, all else is output. */
export function stepsOf(text: string): Step[] {
  return text
    .split(/^\$ /m)
    .filter((part) => part.trim() !== '')
    .map((part) => {
      const [command = '', ...lines] = part.split('\n');
      return { command, expected: lines.join('\n').trimEnd() };
    });
}

/** Compares output with what a block shows, where `…` stands for anything within a line, and alone for any lines. */
export function shows(expected: string, output: string): boolean {
  const lines = expected.split('\n').map((line) =>
    line.trim() === '…'
      ? '[\\s\\S]*'
      : line
          .split('…')
          .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
          .join('.*'),
  );
  const pattern = lines
    .join('\n')
    .replaceAll('\n[\\s\\S]*', '(?:\n[\\s\\S]*)?')
    .replaceAll('[\\s\\S]*\n', '[\\s\\S]*');
  return new RegExp(`^${pattern}$`).test(output.trimEnd());
}

/** The input of `pml_execute` for a block: a first line `// pml_execute({ intent: "…", name: "…" })` names both. */
export function executeInput(text: string): { intent: string; name?: string; code: string } {
  const head = /^\/\/ pml_execute\((.*)\)\n/.exec(text);
  const [intent] = quoted(head?.[1], 'intent');
  const [name] = quoted(head?.[1], 'name');
  return {
    intent: intent ?? 'an example of the documents',
    ...(name && { name }),
    code: head ? text.slice(head[0].length) : text,
  };
}

function quoted(line: string | undefined, key: string): string[] {
  return Array.from(
    (line ?? '').matchAll(new RegExp(`${key}: "([^"]*)"`, 'g')),
    ([, value]) => value as string,
  );
}
