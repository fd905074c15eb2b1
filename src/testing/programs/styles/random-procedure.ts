import type { Json } from '../../../code/testing.ts';
import type { Choices } from '../choices.ts';
import {
  type ArgumentValue,
  PLAIN_STYLE,
  type Procedure,
  type ProcedureCall,
  type ResultForm,
  STYLE_CHOICES,
  type Style,
} from './procedure.ts';

const TOOLS: readonly (readonly [server: string, tool: string, ...keys: string[]])[] = [
  ['fs', 'read', 'path'],
  ['fs', 'write', 'path', 'content'],
  ['crm', 'find', 'name', 'limit'],
  ['crm', 'note', 'id', 'text', 'tags'],
  ['mail', 'send', 'to', 'message', 'options'],
];
const DATA: readonly (readonly Json[])[] = [
  [
    'a.txt',
    'report.md',
    'Globex',
    'ana@example.org',
    12,
    true,
    ['red', 'blue'],
    { urgent: true, from: 'ana' },
  ],
  [
    'b.txt',
    'notes.md',
    'Initech',
    'ben@example.org',
    7,
    false,
    ['green', 'grey'],
    { urgent: false, from: 'ben' },
  ],
];
const PATHS: readonly (readonly (string | number)[])[] = [
  ['name'],
  ['id'],
  ['nested', 'id'],
  ['items', 0],
  [],
];

/** Draws a sequence of calls with links; `set` picks the data, and nothing else changes with it. */
export function randomProcedure(choices: Choices, set: 0 | 1): Procedure {
  const calls = Array.from({ length: 2 + choices.below(4) }, (_, at): ProcedureCall => {
    const [server, tool, ...keys] = choices.one(TOOLS);
    const args = keys
      .filter((_, index) => index === 0 || choices.maybe(60))
      .map((key): [string, ArgumentValue] => [key, argument(choices, at, set)]);
    return { server, tool, args: Object.fromEntries(args), result: { ok: true } };
  });
  return { calls, result: choices.one<ResultForm>(['last', 'object', 'list', 'wrapped']) };
}

function argument(choices: Choices, at: number, set: 0 | 1): ArgumentValue {
  const [isLink, from, path] = [choices.maybe(30), choices.below(at + 1), choices.one(PATHS)];
  const literal = (DATA[set] as readonly Json[])[choices.below(8)] as Json;
  return isLink && from < at ? { from, path } : { literal };
}

/** Draws each aspect of a style. */
export function randomStyle(choices: Choices): Style {
  const drawn = Object.entries(STYLE_CHOICES).map(([aspect, ways]) => [
    aspect,
    choices.maybe(50) ? choices.one<string>(ways) : PLAIN_STYLE[aspect as keyof Style],
  ]);
  return Object.fromEntries(drawn) as unknown as Style;
}

/** A procedure that differs a little in what it does. */
export function changedProcedure({ calls, result }: Procedure, choices: Choices): Procedure {
  const at = choices.below(calls.length);
  const call = calls[at] as ProcedureCall;
  const [key = '', value] = Object.entries(call.args)[choices.below(Object.keys(call.args).length)] ?? [];
  const replaced = (other: ProcedureCall) => calls.map((one, index) => (index === at ? other : one));
  const isFree = (one: ProcedureCall | undefined) =>
    one !== undefined && Object.values(one.args).every((argument) => 'literal' in argument);
  switch (choices.below(5)) {
    case 0:
      return { calls: replaced({ ...call, tool: `${call.tool}_all` }), result };
    case 1:
      return { calls: replaced({ ...call, args: { ...call.args, extra: { literal: 'more' } } }), result };
    case 2:
      if (value && 'from' in value)
        return {
          calls: replaced({ ...call, args: { ...call.args, [key]: { ...value, path: ['other'] } } }),
          result,
        };
      return { calls, result: result === 'last' ? 'wrapped' : 'last' };
    case 3:
      // The last two calls change places, if neither needs another.
      if (calls.slice(-2).every(isFree))
        return { calls: [...calls.slice(0, -2), ...calls.slice(-2).reverse()], result };
      return { calls: calls.slice(0, -1), result };
    default:
      return { calls: [...calls, { ...call, args: { extra: { literal: 'last' } } }], result };
  }
}
