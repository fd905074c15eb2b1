import type { Command } from '../command.ts';
import { wholeNumber } from '../option-values.ts';
import { wrongUse } from '../parse-arguments.ts';

export const command: Command = {
  help: `Usage: pml logs [SERVER] [-f] [-n N]

Shows the end of PML's log, or what it says of one server: what the server printed, and when it started, failed and stopped.

  pml logs                 what happened last
  pml logs github -f       what the server github does, until ctrl-C

  -f, --follow   go on as lines come
  -n, --lines N  how many lines to show first (default: 50)`,
  options: { follow: { type: 'boolean', short: 'f' }, lines: { type: 'string', short: 'n' } },
  positionals: true,
  completes: 'servers',
  run: async ({ values, positionals, terminal }) => {
    const [server, ...rest] = positionals;
    if (rest.length > 0) throw wrongUse('logs', 'name one SERVER, or none.');
    const lines = wholeNumber(values.lines, '--lines', { most: 100_000 }) ?? 50;
    const { followLog, showLog } = await import('../log-reader.ts');
    const end = showLog(terminal, server, lines);
    if (values.follow) await followLog(terminal, server, end);
  },
};
