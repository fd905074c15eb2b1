import type { Command } from '../command.ts';
import { oneOf } from '../option-values.ts';
import { wrongUse } from '../parse-arguments.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;

export const command: Command = {
  help: `Usage: pml completion bash | zsh | fish

Prints a script that completes commands, options, and the names of capabilities, tools and servers, while PML runs.

  pml completion bash >> ~/.bashrc
  pml completion zsh  >> ~/.zshrc
  pml completion fish > ~/.config/fish/completions/pml.fish`,
  positionals: true,
  run: async ({ positionals, terminal }) => {
    const [shell, ...rest] = positionals;
    const known = oneOf(shell, 'pml completion:', SHELLS);
    if (known === undefined || rest.length > 0) throw wrongUse('completion', 'say bash, zsh or fish.');
    const { completionScript } = await import('../completion.ts');
    terminal.print(completionScript(known));
  },
};
