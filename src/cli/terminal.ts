import { createInterface } from 'node:readline/promises';
import { styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

/** Input and output of a command: coloured and with progress on a terminal, plain in a pipe. */
export interface Terminal {
  /** A person reads the output and can answer questions. */
  readonly interactive: boolean;
  /** How wide a line may be; undefined in a pipe, where every line stays whole. */
  readonly columns: number | undefined;
  print(text: string): void;
  /** Prints a piece of a text, such as of an answer that is still being written. */
  write(text: string): void;
  /** Reports progress to a person; prints nothing in a pipe. */
  progress(text: string): void;
  warn(text: string): void;
  style(style: Style, text: string): string;
  /** Asks a question; an empty answer is an empty string. */
  ask(question: string): Promise<string>;
}

/** The exit code that shells report for a program ended by SIGPIPE, a signal that Node ignores. */
const READER_LEFT = 128 + 13;

export function openTerminal(): Terminal {
  const { stdout, stderr, stdin } = process;
  for (const stream of [stdout, stderr]) stream.on('error', endWithReader);
  const style = (how: Style, text: string) => styleText(how, text, { stream: stdout, validateStream: true });
  return {
    interactive: Boolean(stdin.isTTY && stdout.isTTY),
    // A terminal that does not know its width says 0.
    columns: Number(process.env.COLUMNS) || (stdout.isTTY && stdout.columns) || undefined,
    print: (text) => void stdout.write(`${text}\n`),
    write: (text) => void stdout.write(text),
    progress: (text) => void (stderr.isTTY && stderr.write(`${style('dim', text)}\n`)),
    warn: (text) => void stderr.write(`pml: ${text}\n`),
    style,
    ask: async (question) => {
      const lines = createInterface({ input: stdin, output: stdout });
      try {
        return (await lines.question(question)).trim();
      } finally {
        lines.close();
      }
    },
  };
}

/** Ends the command when nobody reads its output any more, as `head` does after its last line. */
function endWithReader(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
  process.exit(READER_LEFT);
}
