import { loadConfig } from '../config/index.ts';
import type { CallableEntry } from '../daemon/index.ts';
import { askRunningDaemon } from './admin-request.ts';
import type { Command } from './command.ts';
import type { Terminal } from './terminal.ts';

// bash ends a word at a colon, which names contain: `_pml` splits the line itself, and answers what follows the colon.
const BASH = `_pml() {
  local typed="\${COMP_LINE:0:COMP_POINT}" current words
  read -r -a words <<< "$typed"
  [[ "$typed" == *" " ]] && words+=("")
  current="\${words[\${#words[@]}-1]}"
  local IFS=$'\n'
  COMPREPLY=($(pml completion words -- "\${words[@]:1}" 2>/dev/null | cut -f 1))
  if [[ "$current" == *:* ]]; then
    local before="\${current%"\${current##*:}"}" i
    for i in "\${!COMPREPLY[@]}"; do COMPREPLY[i]="\${COMPREPLY[i]#"$before"}"; done
  fi
}
complete -o default -F _pml pml`;

const ZSH = `#compdef pml
_pml() {
  local -a found
  found=("\${(@f)$(pml completion words -- "\${(@)words[2,CURRENT]}" 2>/dev/null | cut -f 1)}")
  [[ -n "$found" ]] && compadd -- "\${found[@]}" || _files
}
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit; }
compdef _pml pml`;

const FISH = `function __pml_words
    set -l words (commandline -opc) (commandline -ct)
    pml completion words -- $words[2..-1] 2>/dev/null
end
complete -c pml -f -a '(__pml_words)'`;

/** The script that a shell loads. */
export function completionScript(shell: 'bash' | 'zsh' | 'fish'): string {
  return { bash: BASH, zsh: ZSH, fish: FISH }[shell];
}

/** The table of all commands. */
export interface Commands {
  listedCommands(): { name: string; summary: string }[];
  loadCommand(name: string): Promise<Command | undefined>;
}

interface Completion {
  word: string;
  about?: string | undefined;
}

/** Lists what fits the last of the words that were typed, a line each, with a description after a tab. */
export async function completeWords(
  words: readonly string[],
  commands: Commands,
  terminal: Terminal,
): Promise<string> {
  const last = words.at(-1) ?? '';
  const fitting = (await candidates(words, commands, terminal)).filter(({ word }) => word.startsWith(last));
  return fitting.map(({ word, about }) => (about ? `${word}\t${about}\n` : `${word}\n`)).join('');
}

async function candidates(
  words: readonly string[],
  { listedCommands, loadCommand }: Commands,
  terminal: Terminal,
): Promise<Completion[]> {
  if (words.length < 2) return listedCommands().map(({ name, summary }) => ({ word: name, about: summary }));
  const command = await loadCommand(words[0] ?? '');
  if (!command) return [];
  if (words.at(-1)?.startsWith('-')) return flagsOf(command, words, terminal);
  return (await namesFor(command, words, terminal)).map((word) => ({ word }));
}

async function flagsOf(
  command: Command,
  words: readonly string[],
  terminal: Terminal,
): Promise<Completion[]> {
  const own = Object.keys({ ...command.options, help: {} }).map((option) => ({ word: `--${option}` }));
  const name = command.takesFlags ? words.slice(1, -1).find((word) => !word.startsWith('-')) : undefined;
  if (name === undefined) return own;
  const callee = await ask<CallableEntry>(terminal, { do: 'find_callable', name });
  const parameters = Object.entries(callee?.schema.properties ?? {}).map(([key, schema]) => ({
    word: `--${key}`,
    about: typeof schema === 'object' ? schema.description?.split('\n')[0] : undefined,
  }));
  return [...parameters, ...own];
}

async function namesFor(command: Command, words: readonly string[], terminal: Terminal): Promise<string[]> {
  const { completes } = command;
  // The word is the value of an option, not a name.
  const before = words.at(-2) ?? '';
  if (!completes || (before.startsWith('--') && words.length > 2)) return [];
  if (completes === 'servers') return serverNames();
  const names = await ask<{ tools: string[]; capabilities: string[] }>(terminal, { do: 'callable_names' });
  if (!names) return [];
  return completes === 'callables' ? [...names.capabilities, ...names.tools] : names.capabilities;
}

/** Asks the daemon if one runs. Pressing Tab in the shell must neither start a daemon nor show an error. */
async function ask<T>(terminal: Terminal, request: object): Promise<T | undefined> {
  return askRunningDaemon<T>(terminal, request).catch(() => undefined);
}

function serverNames(): string[] {
  try {
    return loadConfig({ cwd: process.cwd(), env: process.env }).servers.map(({ name }) => name);
  } catch {
    return [];
  }
}
