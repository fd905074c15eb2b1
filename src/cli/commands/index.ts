import { closest } from '../../edit-distance.ts';
import type { Command } from '../command.ts';

interface CommandEntry {
  /** One line for `pml --help`. */
  summary: string;
  /** Left out of `pml --help`: PML itself starts this command. */
  hidden?: boolean;
  /** Loads the command's file, so that a start pays for one command alone. */
  load(): Promise<{ command: Command }>;
}

/** Every command, in the order of `pml --help`. */
const COMMANDS: Readonly<Record<string, CommandEntry>> = {
  serve: {
    summary: 'MCP over stdio, for clients that start their servers',
    load: () => import('./serve.ts'),
  },
  up: {
    summary: 'MCP over HTTP, with a page that shows what runs',
    load: () => import('./up.ts'),
  },
  dashboard: {
    summary: 'open the dashboard in the browser, or print its address where there is none',
    load: () => import('./dashboard.ts'),
  },
  down: {
    summary: 'stop the background process',
    load: () => import('./down.ts'),
  },
  status: {
    summary: 'show what runs',
    load: () => import('./status.ts'),
  },
  exec: {
    summary: 'run code over your tools, and remember it',
    load: () => import('./exec.ts'),
  },
  run: {
    summary: 'call a capability or a tool by name',
    load: () => import('./run.ts'),
  },
  discover: {
    summary: 'find tools and capabilities by what they do',
    load: () => import('./discover.ts'),
  },
  list: {
    summary: 'list remembered capabilities',
    load: () => import('./list.ts'),
  },
  lookup: {
    summary: 'say what a name means',
    load: () => import('./lookup.ts'),
  },
  whois: {
    summary: 'show everything about a capability, with its code',
    load: () => import('./whois.ts'),
  },
  history: {
    summary: 'show the versions of a capability',
    load: () => import('./history.ts'),
  },
  stats: {
    summary: 'show calls, success and latency of tools and capabilities',
    load: () => import('./stats.ts'),
  },
  rename: {
    summary: 'rename a capability, or describe it',
    load: () => import('./rename.ts'),
  },
  update: {
    summary: 'give a capability new code, as its next version',
    load: () => import('./update.ts'),
  },
  verify: {
    summary: 'replay the recorded runs of a capability',
    load: () => import('./verify.ts'),
  },
  fork: {
    summary: 'copy a capability under a name of your own',
    load: () => import('./fork.ts'),
  },
  merge: {
    summary: 'make one capability of several',
    load: () => import('./merge.ts'),
  },
  curate: {
    summary: 'review suggested names, and fold twins',
    load: () => import('./curate.ts'),
  },
  retire: {
    summary: 'take a capability out of use',
    load: () => import('./retire.ts'),
  },
  restore: {
    summary: 'bring a retired capability back',
    load: () => import('./restore.ts'),
  },
  feedback: {
    summary: 'say whether a capability did what you needed',
    load: () => import('./feedback.ts'),
  },
  export: {
    summary: 'write capabilities to a signed file, or as Agent Skills',
    load: () => import('./export.ts'),
  },
  import: {
    summary: 'import capabilities from a signed file',
    load: () => import('./import.ts'),
  },
  agent: {
    summary: 'list, check and run the agents of the config',
    load: () => import('./agent.ts'),
  },
  init: {
    summary: 'write pml.json with the servers of your MCP clients',
    load: () => import('./init.ts'),
  },
  logs: {
    summary: 'show the log, of one server or all',
    load: () => import('./logs.ts'),
  },
  add: {
    summary: 'add a server to pml.json',
    load: () => import('./add.ts'),
  },
  remove: {
    summary: 'take a server out of pml.json',
    load: () => import('./remove.ts'),
  },
  trust: {
    summary: 'trust a found config file at its present content',
    load: () => import('./trust.ts'),
  },
  doctor: {
    summary: 'check the installation, the config, the database and every server',
    load: () => import('./doctor.ts'),
  },
  completion: {
    summary: 'print the script that completes names in bash, zsh or fish',
    load: () => import('./completion.ts'),
  },
  version: {
    summary: 'print the version',
    load: () => import('./version.ts'),
  },
  daemon: {
    summary: 'the background process (started by the other commands)',
    hidden: true,
    load: () => import('./daemon.ts'),
  },
};

/** The commands that `pml --help` lists. */
export function listedCommands(): { name: string; summary: string }[] {
  return Object.entries(COMMANDS).flatMap(([name, { summary, hidden }]) =>
    hidden ? [] : [{ name, summary }],
  );
}

/** Words of other programs for what a command of PML does. */
const SYNONYMS: Readonly<Record<string, string>> = {
  ls: 'list',
  ps: 'status',
  start: 'up',
  stop: 'down',
  call: 'run',
  search: 'discover',
  find: 'discover',
  show: 'whois',
  rm: 'remove',
  install: 'add',
  delete: 'retire',
  setup: 'init',
  check: 'doctor',
};

/** Finds the command that a misspelt name, or a word of another program, most likely means. */
export function suggestCommand(name: string): string | undefined {
  if (Object.hasOwn(SYNONYMS, name)) return SYNONYMS[name];
  return closest(
    name,
    listedCommands().map((command) => command.name),
  );
}

/** Loads a command by its name; undefined if there is none. */
export async function loadCommand(name: string): Promise<Command | undefined> {
  if (!Object.hasOwn(COMMANDS, name)) return undefined;
  const loaded = await COMMANDS[name]?.load();
  return loaded?.command;
}
