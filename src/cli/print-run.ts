import type { Invocation } from './command.ts';
import { inCommandWords } from './command-words.ts';

/** The most that one answer can hold. A terminal or a file has no context window to fill. */
export const WHOLE_RESULT = 3_000_000;

/** Prints the answer of pml_execute: for people the result and the name it is remembered by, with `--json` all of it. */
export function printRun({ values, terminal }: Invocation, answer: Record<string, unknown>): void {
  if (values.json) {
    terminal.print(JSON.stringify(answer));
    return;
  }
  const { result, remembered, cached, warnings = [], logs = [] } = answer;
  for (const { text } of logs as { text: string }[]) terminal.warn(text);
  for (const warning of warnings as string[]) terminal.warn(inCommandWords(warning));
  terminal.print(typeof result === 'string' ? result : JSON.stringify(result, null, 2));
  if (cached) terminal.progress('(cached)');
  // On stderr, so that a script that keeps the result still shows it.
  if (remembered) terminal.warn(rememberedText(remembered as Remembered));
}

interface Remembered {
  name: string;
  /** A call of pml_execute. */
  call: string;
}

function rememberedText({ name, call }: Remembered): string {
  return `remembered as ${name}. Call it with: ${inCommandWords(call)}`;
}
