import type { Primitive } from './terms.ts';

/** In characters. Longer texts are not folded. */
const MAX_TEXT = 10_000;

type Fold = (a: never, b: never) => unknown;

// biome-ignore format: a table
const BINARY: Readonly<Record<string, Fold>> = {
  '+': (a: number, b: number) => a + b, '-': (a: number, b: number) => a - b, '*': (a: number, b: number) => a * b,
  '/': (a: number, b: number) => a / b, '%': (a: number, b: number) => a % b, '**': (a: number, b: number) => a ** b,
  '<': (a: number, b: number) => a < b, '>': (a: number, b: number) => a > b, '<=': (a: number, b: number) => a <= b,
  '>=': (a: number, b: number) => a >= b, '===': (a, b) => a === b, '!==': (a, b) => a !== b,
  // biome-ignore lint/suspicious/noDoubleEquals: it means what the program means
  '==': (a, b) => a == b,
  // biome-ignore lint/suspicious/noDoubleEquals: it means what the program means
  '!=': (a, b) => a != b,
};

const UNARY: Readonly<Record<string, (a: never) => unknown>> = {
  '-': (a: number) => -a,
  '+': (a: number) => +a,
  '!': (a) => !a,
  typeof: (a) => typeof a,
  void: () => undefined,
};

/** The result of an operator on constants; undefined if it is not computed here. */
export function foldBinary(operator: string, a: Primitive, b: Primitive): { value: Primitive } | undefined {
  const value = BINARY[operator]?.(a as never, b as never);
  return value === undefined ? undefined : bounded(value as Primitive);
}

export function foldUnary(operator: string, a: Primitive): { value: Primitive } | undefined {
  const fold = UNARY[operator];
  return fold && bounded(fold(a as never) as Primitive);
}

export function bounded(value: Primitive): { value: Primitive } | undefined {
  return typeof value === 'string' && value.length > MAX_TEXT ? undefined : { value };
}
