import type { Command, Invocation } from '../command.ts';
import type { Entry } from '../init/convert-entry.ts';
import { wrongUse } from '../parse-arguments.ts';

export const command: Command = {
  help: `Usage: pml add NAME [--env KEY=VALUE…] [--global] -- COMMAND [ARGUMENT…]
       pml add NAME URL [--header KEY=VALUE…] [--global]

Adds a server to the pml.json of this folder, or the nearest above it; without one it writes a new one here. Comments and
formatting stay. Secrets go to pml.env beside it, which only you can read.

  pml add filesystem -- npx -y @modelcontextprotocol/server-filesystem .
  pml add github https://api.githubcopilot.com/mcp/ --header 'Authorization=Bearer …'

  --env KEY=VALUE     a variable for the program; may be repeated
  --header KEY=VALUE  a header for each request; may be repeated
  --global            the pml.json of PML_HOME`,
  options: {
    env: { type: 'string', multiple: true },
    header: { type: 'string', multiple: true },
    global: { type: 'boolean' },
  },
  positionals: true,
  run: async (invocation) => {
    const { values, positionals, terminal } = invocation;
    const [name, target, ...args] = positionals;
    if (name === undefined || target === undefined)
      throw wrongUse('add', 'say NAME -- COMMAND…, or NAME URL.');
    const { addToConfig } = await import('../init/change-config.ts');
    const { currentHost } = await import('../init/current-host.ts');
    const host = { ...currentHost(), isGlobal: values.global === true };
    const file = addToConfig(host, name, entryOf(invocation, target, args));
    terminal.print(`Added ${name} to ${file}`);
    terminal.print('Sessions that begin from now on have it. `pml doctor` checks it.');
  },
};

function entryOf({ values }: Invocation, target: string, args: string[]): Entry {
  const [env, headers] = [pairsOf(values.env, '--env'), pairsOf(values.header, '--header')];
  if (/^https?:\/\//i.test(target)) {
    if (args.length > 0 || env) throw wrongUse('add', 'a URL takes --header, and nothing else.');
    return { url: target, ...(headers && { headers }) };
  }
  if (headers) throw wrongUse('add', '--header goes with a URL.');
  return { command: target, ...(args.length > 0 && { args }), ...(env && { env }) };
}

function pairsOf(given: unknown, option: string): Record<string, string> | undefined {
  if (!Array.isArray(given)) return undefined;
  const pairs = given.map((pair: string) => {
    const at = pair.indexOf('=');
    if (at <= 0) throw wrongUse('add', `${option} takes KEY=VALUE.`);
    return [pair.slice(0, at), pair.slice(at + 1)];
  });
  return Object.fromEntries(pairs);
}
