import type { Command } from '../command.ts';
import {
  forkCommand,
  mergeCommand,
  renameCommand,
  restoreCommand,
  retireCommand,
  updateCommand,
  verifyCommand,
} from './change.ts';
import { exportCommand } from './export.ts';
import { importCommand } from './import.ts';
import { historyCommand, listCommand, lookupCommand, statsCommand, whoisCommand } from './read.ts';

/** The commands that look at the registry and change it. */
export const REGISTRY_COMMANDS: Record<string, Command> = {
  list: listCommand,
  lookup: lookupCommand,
  whois: whoisCommand,
  history: historyCommand,
  stats: statsCommand,
  rename: renameCommand,
  update: updateCommand,
  verify: verifyCommand,
  fork: forkCommand,
  merge: mergeCommand,
  retire: retireCommand,
  restore: restoreCommand,
  export: exportCommand,
  import: importCommand,
};
