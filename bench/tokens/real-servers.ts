import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isServerName } from '../../src/config/index.ts';
import { dataFolder } from '../discovery/data.ts';
import type { Tool } from '../plain-calls/data.ts';

/** Smaller servers would make a large number of servers look cheap. */
const MIN_TOOLS = 5;

/**
 * Reads the recorded lists of the first `count` public servers in the file. Azure's server is left out: its 383 tools alone
 * would decide the result.
 */
export function recordedServers(count: number): Tool[] {
  const file = join(dataFolder(), 'azure-mcp', 'tools.jsonl');
  if (!existsSync(file))
    throw new Error(`There is no ${file}. PML_DATA names the folder that holds azure-mcp/.`);
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  const byServer = Map.groupBy(
    lines.map((line) => JSON.parse(line) as Tool),
    ({ server }) => server,
  );
  const chosen = new Map<string, Tool[]>();
  for (const [server, tools] of byServer) {
    const name = shortName(server);
    if (chosen.size < count && server !== 'azure' && tools.length >= MIN_TOOLS && !chosen.has(name))
      chosen.set(name, tools);
  }
  return [...chosen].flatMap(([server, tools]) => tools.map((tool) => ({ ...tool, server })));
}

/** `@owner/name` as a user would call it in a config. */
function shortName(server: string): string {
  const name = server.slice(server.lastIndexOf('/') + 1);
  return isServerName(name) ? name : name.replace(/[^\w.-]/g, '_').slice(0, 64);
}
