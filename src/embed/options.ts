import { resolve } from 'node:path';

/** Which PML a program means. */
export interface GatewayOptions {
  /** The folder with PML's database, keys and log. Default: `PML_HOME` of the environment, then `~/.pml`. */
  home?: string;
  /** The config file, which is trusted because the program names it. Default: found from `cwd` as `pml` finds it. */
  config?: string;
  /** The folder to which paths are relative. Default: that of the process. */
  cwd?: string;
  /** The environment: PML's own variables, and those that the config names. Default: that of the process. */
  env?: Readonly<Record<string, string | undefined>>;
}

/** The folder, environment and config of a process that starts `pml`. */
export interface Place {
  cwd: string;
  env: Record<string, string>;
  config?: string;
}

/** Resolves the options as the command line would in this folder. */
export function placeOf({ home, config, cwd = process.cwd(), env = process.env }: GatewayOptions): Place {
  const given = Object.entries({ ...env, ...(home !== undefined && { PML_HOME: resolve(cwd, home) }) });
  const set = given.filter((entry): entry is [string, string] => entry[1] !== undefined);
  return { cwd, env: Object.fromEntries(set), ...(config !== undefined && { config }) };
}
