import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { closest } from '../edit-distance.ts';
import { PmlError } from '../errors.ts';
import type { Command, Invocation } from './command.ts';

type Parsed = Pick<Invocation, 'values' | 'positionals' | 'flags'>;

const HELP: ParseArgsOptionsConfig = { help: { type: 'boolean', short: 'h' } };

/** Parses the arguments of a command. Throws in the words of the command line if they are wrong. */
export function parseArguments(name: string, command: Command, args: readonly string[]): Parsed {
  const options = { ...command.options, ...HELP };
  const { own, flags } = command.takesFlags ? splitFlags(args, options) : { own: args, flags: [] };
  const parsed = parseArgs({
    args: [...own],
    options,
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  for (const token of parsed.tokens) if (token.kind === 'option') assertOption(name, options, token);
  const { values, positionals } = parsed;
  const [extra] = command.positionals ? [] : positionals;
  if (extra !== undefined) throw wrongUse(name, `unexpected "${extra}".`);
  return { values: values as Parsed['values'], positionals, flags };
}

export function wrongUse(command: string, text: string): PmlError {
  return new PmlError('bad_request', `pml ${command}: ${text}`, { hint: `Try pml ${command} --help.` });
}

interface OptionToken {
  name: string;
  rawName: string;
  value: string | undefined;
  inlineValue: boolean | undefined;
}

function assertOption(command: string, options: ParseArgsOptionsConfig, token: OptionToken): void {
  const { name, rawName, value, inlineValue } = token;
  const known = Object.hasOwn(options, name) ? options[name] : undefined;
  if (!known) throw unknownOption(command, rawName, options);
  if (known.type === 'boolean') {
    if (value !== undefined) throw wrongUse(command, `${rawName} takes no value.`);
    return;
  }
  if (value === undefined) throw wrongUse(command, `${rawName} needs a value.`);
  // In `--name --json` the name was more likely forgotten than meant to begin with a dash.
  if (!inlineValue && /^-./.test(value))
    throw wrongUse(command, `${rawName} needs a value. If that is "${value}", write ${rawName}=${value}.`);
}

function unknownOption(command: string, rawName: string, options: ParseArgsOptionsConfig): PmlError {
  // Dashes are not compared: two equal characters would make any short name look close.
  const near = rawName.startsWith('--') ? closest(rawName.slice(2), Object.keys(options)) : undefined;
  return wrongUse(command, `there is no option ${rawName}.${near ? ` Did you mean --${near}?` : ''}`);
}

/** Separates the flags that are not the command's own. A flag takes the next word as its value, unless that is a flag. */
function splitFlags(args: readonly string[], options: ParseArgsOptionsConfig) {
  const own: string[] = [];
  const flags: [name: string, value: string | true][] = [];
  const rest = [...args];
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    const [, name, inline] = /^--([^=]+)(?:=(.*))?$/s.exec(arg) ?? [];
    if (arg === '--') own.push(arg, ...rest.splice(0));
    else if (name === undefined) own.push(arg);
    else if (Object.hasOwn(options, name)) {
      own.push(arg);
      const takesNext = inline === undefined && options[name]?.type === 'string';
      if (takesNext && rest[0] !== undefined) own.push(rest.shift() as string);
    } else {
      const hasNext = rest[0] !== undefined && !/^--./.test(rest[0]);
      flags.push([name, inline ?? (hasNext ? (rest.shift() as string) : true)]);
    }
  }
  return { own, flags };
}
