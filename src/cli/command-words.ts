/** The tools whose command has another name: `cap_list` is `pml list`, but `pml_execute` is `pml exec`. */
const COMMANDS: Readonly<Record<string, string>> = { pml_execute: 'pml exec', pml_discover: 'pml discover' };

const OPTIONS: Readonly<Record<string, string>> = {
  'options.timeout': '--timeout',
  'options.remember': '--no-remember',
  new_name: 'NEW_NAME',
};

/** Begins and ends a call of a capability in JSON, as hints for agents show it. */
const [CALL, END] = ['pml_execute({', '})'];

const TOOL =
  /\b(?:pml_execute|pml_discover|cap_(?:lookup|list|whois|rename|update|history|curate|verify|fork|merge|retire|restore|feedback|stats))\b/g;
const OPTION = /\boptions\.(?:timeout|remember)\b|\bnew_name\b/g;

/** Keys of tools for which the option of the command has another name. */
const RENAMED_KEYS: Readonly<Record<string, string>> = {
  sort_by: 'sort',
  version_tag: 'tag',
  change_summary: 'summary',
  cache_policy: 'cache',
};
const WRONG_ARGUMENTS = /^Wrong arguments for (?:pml|cap)_\w+: /;

/** Turns the words of PML's tools, which speak to agents, into those of the command line. */
export function inCommandWords(text: string): string {
  return withCommand(withOptions(text))
    .replace(TOOL, (tool) => COMMANDS[tool] ?? tool.replace('cap_', 'pml '))
    .replace(OPTION, (option) => OPTIONS[option] ?? option);
}

/** Names the options instead of the keys in `Wrong arguments for cap_list: "limit": Too big`. */
function withOptions(text: string): string {
  if (!WRONG_ARGUMENTS.test(text)) return text;
  return text
    .replace(WRONG_ARGUMENTS, '')
    .replace(/"([a-z_]+)":/g, (_, key: string) => `--${(RENAMED_KEYS[key] ?? key).replaceAll('_', '-')}:`);
}

/** Replaces a whole call of a capability by the command that makes it. */
function withCommand(text: string): string {
  const [start, end] = [text.indexOf(CALL), text.lastIndexOf(END)];
  if (start < 0 || end < start) return text;
  const command = commandOf(text.slice(start + CALL.length - 1, end + 1));
  return command === undefined ? text : text.slice(0, start) + command + text.slice(end + END.length);
}

/** Writes a call of a capability as a command; undefined for any other call, and for one that was cut. */
function commandOf(json: string): string | undefined {
  try {
    const { capability, args } = JSON.parse(json) as { capability?: unknown; args?: object };
    return typeof capability === 'string' ? runCommand(capability, args ?? {}) : undefined;
  } catch {
    return undefined;
  }
}

/** The command that calls a tool or capability with these arguments. */
export function runCommand(name: string, args: object): string {
  const flags = Object.entries(args).map(([key, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return value === true ? `--${key}` : `--${key} ${quoted(text)}`;
  });
  return ['pml run', quoted(name), ...flags].join(' ');
}

function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
