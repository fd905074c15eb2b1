import path from 'node:path';
import { nearestFile } from '../../config-file.js';
import { PmlError } from '../../errors.ts';
import { homeOf } from '../../home.js';
import type { Command } from '../command.ts';

export const command: Command = {
  help: `Usage: pml trust [FILE]

Lets PML start the servers of FILE (default: the pml.json found from here upwards), and prints what they run and where they
connect. You need it once for a file that you did not choose yourself, such as one in a cloned repository, and again when
the file runs or sends something else. PML trusts files named with --config or PML_CONFIG, files in PML_HOME, and files
that pml init wrote.

  pml trust                    the pml.json of this folder, or of the nearest above it
  pml trust ../other/pml.json`,
  positionals: true,
  run: async ({ positionals, terminal }) => {
    const [given, ...rest] = positionals;
    if (rest.length > 0) throw new PmlError('bad_request', 'trust takes one FILE. Try pml trust --help.');
    const { trustFile } = await import('../../config/index.ts');
    const file = given === undefined ? nearestFile(process.cwd()) : path.resolve(given);
    if (!file)
      throw new PmlError('bad_request', 'There is no pml.json here or above. Name the file to trust.');
    const { lines } = trustFile(homeOf(process.env), file);
    terminal.print(`Trusted ${file}${lines.length > 0 ? '. With it, PML does this in your name:' : ''}`);
    for (const line of lines) terminal.print(`  ${line}`);
  },
};
