import type { Command } from './command.ts';

/** Described here; run by pipe.js, which starts faster. */
export const serveCommand: Command = {
  summary: 'MCP over stdio, for clients that start their servers',
  help: `Usage: pml serve [--config FILE] [--agent NAME]

MCP on standard input and output. Clients start one such process per session; all of them share one background
process, which is started if none runs. It uses the pml.json found upwards from the folder it is started in.

  claude mcp add pml -- pml serve
  {"mcpServers": {"pml": {"command": "pml", "args": ["serve"]}}}`,
  options: { config: { type: 'string' }, agent: { type: 'string' } },
  run: async () => {},
};
