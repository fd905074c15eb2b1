import type { Json } from '../../../code/testing.ts';

/** An argument: a literal, or something that an earlier call returned. */
export type ArgumentValue =
  | { readonly literal: Json }
  | { readonly from: number; readonly path: readonly (string | number)[] };

export interface ProcedureCall {
  readonly server: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, ArgumentValue>>;
  readonly result: Json;
}

/** The returned value: the last result, all as an object or a list, or the last within an object. */
export type ResultForm = 'last' | 'object' | 'list' | 'wrapped';

/** A sequence of calls, independent of how a program writes it. */
export interface Procedure {
  readonly calls: readonly ProcedureCall[];
  readonly result: ResultForm;
}

/**
 * The only ways in which a program does something else than the bare procedure: a guard on a result, or other handling
 * of failures. `rethrow` changes nothing.
 */
export const GUARDS = [
  'none',
  'rethrow',
  'throw',
  'early return',
  'else',
  'ternary',
  'nullish',
  'optional',
  'wrap failure',
  'return failure',
] as const;
export type Guard = (typeof GUARDS)[number];

/** Every decision about how to write a program. The first of each is the plainest. */
export const STYLE_CHOICES = {
  values: [
    'literal',
    'consts',
    'distinct consts',
    'config',
    'nested config',
    'destructured config',
    'argument objects',
    'spread objects',
    'tuple consts',
  ],
  texts: ['plain', 'template', 'template parts', 'concatenation', 'single quotes'],
  calls: [
    'in turn',
    'helper',
    'helper function',
    'object helper',
    'default helper',
    'pass-through helper',
    'tool as value',
  ],
  loops: [
    'unrolled',
    'for of',
    'for of objects',
    'for of tuples',
    'for index',
    'map',
    'async map',
    'entries',
    'for of varying',
  ],
  parallel: ['in turn', 'Promise.all', 'started first'],
  access: ['dots', 'brackets', 'colon', 'tool alias', 'server alias', 'destructured server'],
  results: ['const', 'destructured', 'renamed', 'field const', 'let', 'assigned', 'then'],
  exit: ['direct', 'temporary', 'inline', 'inline without await'],
  guard: GUARDS,
  wrapper: ['none', 'main function', 'main arrow', 'called at once', 'whole function'],
  types: ['none', 'annotated', 'asserted'],
  names: ['by key', 'camel case', 'numbered', 'prefixed'],
  noise: ['none', 'comments', 'console.log', 'step log'],
  keys: ['as given', 'reversed', 'quoted', 'shuffled'],
} as const;

export type Style = { readonly [K in keyof typeof STYLE_CHOICES]: (typeof STYLE_CHOICES)[K][number] };

export const PLAIN_STYLE = Object.fromEntries(
  Object.entries(STYLE_CHOICES).map(([aspect, [plain]]) => [aspect, plain]),
) as unknown as Style;
