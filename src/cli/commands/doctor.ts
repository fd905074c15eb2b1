import type { Command } from '../command.ts';

export const command: Command = {
  help: `Usage: pml doctor [--config FILE] [--json]

Checks Node, the config, the database, every server and every agent, and says what to do about each problem. Starts each server of the
config for a moment. Exits with 1 if anything is wrong.`,
  options: { config: { type: 'string' }, json: { type: 'boolean' } },
  run: async (invocation) => {
    const { runChecks } = await import('../doctor/run-checks.ts');
    await runChecks(invocation);
  },
};
