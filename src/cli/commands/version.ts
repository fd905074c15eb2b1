import { VERSION } from '../../version.ts';
import type { Command } from '../command.ts';

export const command: Command = {
  help: `Usage: pml version [--json]

Prints the version of PML; with --json also that of Node and the platform.`,
  options: { json: { type: 'boolean' } },
  run: async ({ values, terminal }) => {
    const { platform, arch, versions } = process;
    const whole = { version: VERSION, node: versions.node, platform: `${platform}-${arch}` };
    terminal.print(values.json ? JSON.stringify(whole) : VERSION);
  },
};
