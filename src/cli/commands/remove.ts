import type { Command } from '../command.ts';
import { wrongUse } from '../parse-arguments.ts';

export const command: Command = {
  help: `Usage: pml remove NAME [--global]

Takes a server out of the pml.json of this folder, or the nearest above it. Comments and formatting stay, and so do the
capabilities that use its tools.

  --global  the pml.json of PML_HOME`,
  options: { global: { type: 'boolean' } },
  positionals: true,
  completes: 'servers',
  run: async ({ values, positionals, terminal }) => {
    const [name, ...rest] = positionals;
    if (name === undefined || rest.length > 0) throw wrongUse('remove', 'say one NAME.');
    const { removeFromConfig } = await import('../init/change-config.ts');
    const { currentHost } = await import('../init/current-host.ts');
    const file = removeFromConfig({ ...currentHost(), isGlobal: values.global === true }, name);
    terminal.print(`Removed ${name} from ${file}`);
  },
};
