import type { Command } from '../command.ts';
import { stringOption } from '../option-values.ts';
import { serve } from '../stdio-bridge.js';

/** `bin/pml.js` starts stdio-bridge.js directly, which is faster, and comes here only for `--help`. */
export const command: Command = {
  help: `Usage: pml serve [--config FILE] [--agent NAME]

MCP on standard input and output. Clients start one such process per session; all of them share one background
process, which is started if none runs. It uses the pml.json found upwards from the folder it is started in.

  claude mcp add pml -- pml serve
  {"mcpServers": {"pml": {"command": "pml", "args": ["serve"]}}}`,
  options: { config: { type: 'string' }, agent: { type: 'string' } },
  run: (invocation) => {
    const [agent, config] = [stringOption(invocation, 'agent'), stringOption(invocation, 'config')];
    return serve({ ...(agent && { agent }), ...(config && { config }) });
  },
};
