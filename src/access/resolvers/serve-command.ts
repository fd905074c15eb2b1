import { fileURLToPath } from 'node:url';
import { packageFile } from '../../package-files.js';
import type { McpServerConfig, ResolverContext } from '../agents/types.ts';

/** How sessions with the gateway are started for an agent. */
export interface ServeCommandOptions {
  /** The config file, if it is not the one that PML finds by itself. */
  configFile?: string | undefined;
  /** The environment of the session: where PML's home is, and the variables that the config names. */
  env?: Record<string, string> | undefined;
}

const PML = fileURLToPath(packageFile('bin/pml.js'));

/** The command `pml serve` as this agent, limited to one of its parts. So the gateway alone decides what is allowed. */
export function serveCommand(
  key: string,
  { agent }: ResolverContext,
  { configFile, env }: ServeCommandOptions,
): McpServerConfig {
  const config = configFile === undefined ? [] : ['--config', configFile];
  return {
    command: process.execPath,
    args: [PML, 'serve', '--agent', agent.name, '--capability', key, ...config],
    ...(env && { env }),
  };
}
