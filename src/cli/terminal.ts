import { createInterface } from 'node:readline/promises';
import { styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

/** Where a command speaks: with colour and progress to a person, plainly to a pipe. */
export interface Terminal {
  /** A person reads and can be asked. */
  readonly interactive: boolean;
  print(text: string): void;
  /** What is going on; only a person wants to know. */
  progress(text: string): void;
  warn(text: string): void;
  style(style: Style, text: string): string;
  /** Asks for yes or no; enter means yes. */
  confirm(question: string): Promise<boolean>;
  /** Asks for a word; an empty one if nothing was typed. */
  ask(question: string): Promise<string>;
}

export function openTerminal(): Terminal {
  const { stdout, stderr, stdin } = process;
  const style = (how: Style, text: string) => styleText(how, text, { stream: stdout, validateStream: true });
  const ask = async (question: string) => {
    const lines = createInterface({ input: stdin, output: stdout });
    try {
      return (await lines.question(question)).trim();
    } finally {
      lines.close();
    }
  };
  return {
    interactive: Boolean(stdin.isTTY && stdout.isTTY),
    print: (text) => void stdout.write(`${text}\n`),
    progress: (text) => void (stderr.isTTY && stderr.write(`${style('dim', text)}\n`)),
    warn: (text) => void stderr.write(`pml: ${text}\n`),
    style,
    confirm: async (question) => !/^n/i.test(await ask(`${question} [Y/n] `)),
    ask,
  };
}
