import type { Command } from '../command.ts';
import { stringOption } from '../option-values.ts';
import { serve } from '../stdio-bridge.js';

/** `bin/pml.js` starts stdio-bridge.js directly, which is faster, and comes here only for `--help`. */
export const command: Command = {
  help: `Usage: pml serve [--config FILE] [--agent NAME [--capability KEY]]

MCP on standard input and output. Clients start one such process per session; all of them share one background
process, which is started if none runs. It uses the pml.json found upwards from the folder it is started in.

  --agent NAME      serve as this agent of the config, which may use what its "capabilities" list and nothing else
  --capability KEY  one of these alone, with the tools under their own names; "pml" for PML's own tools

  claude mcp add pml -- pml serve
  {"mcpServers": {"pml": {"command": "pml", "args": ["serve"]}}}`,
  options: { config: { type: 'string' }, agent: { type: 'string' }, capability: { type: 'string' } },
  run: (invocation) => {
    const names = ['agent', 'capability', 'config'] as const;
    const given = names.map((name) => [name, stringOption(invocation, name)] as const);
    return serve(Object.fromEntries(given.filter(([, value]) => value)));
  },
};
