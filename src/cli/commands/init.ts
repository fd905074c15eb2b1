import { homedir } from 'node:os';
import { createInterface } from 'node:readline/promises';
import type { Command } from '../command.ts';
import type { Answer } from '../init/init.ts';

export const command: Command = {
  help: `Usage: pml init [--yes] [--from FILE]

Finds the MCP servers of Claude Code, Claude Desktop, Cursor and VS Code, asks which to take, and writes pml.json here.
Their own files are not touched.

  --yes        take all servers that are found
  --from FILE  read this file instead of those of the known clients`,
  options: { yes: { type: 'boolean', short: 'y' }, from: { type: 'string' } },
  run: async ({ values, terminal }) => {
    const { init } = await import('../init/init.ts');
    await init({
      cwd: process.cwd(),
      env: process.env,
      platform: process.platform,
      homeDir: homedir(),
      ...(typeof values.from === 'string' && { from: values.from }),
      yes: values.yes === true,
      interactive: terminal.interactive,
      ask,
      print: terminal.print,
    });
  },
};

/** Asks until the answer is a choice or the beginning of one; enter takes the first. */
async function ask(question: string, choices: readonly Answer[]): Promise<Answer> {
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  try {
    for (;;) {
      const typed = (await lines.question(`${question} [${choices.join('/')}] `)).trim().toLowerCase();
      const chosen = typed ? choices.find((choice) => choice.startsWith(typed)) : choices[0];
      if (chosen) return chosen;
    }
  } finally {
    lines.close();
  }
}
