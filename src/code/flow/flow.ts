import type { Program } from '../syntax/ast.ts';
import { type Code, programOf } from '../syntax/parse.ts';
import { type PlainCode, printCode } from './print-code.ts';
import { type FlowForm, type FormOptions, formOf } from './print-form.ts';
import { type Flow, readProgram } from './program-reader.ts';
import { Unreadable } from './unreadable.ts';

/** Tells callees apart. */
export interface FlowOptions {
  /** One name for all spellings of a callee; undefined for a name that is not known before the run. */
  readonly nameOf: (spelling: string) => string | undefined;
}

/** Rewrites a program as plain steps; undefined if it does something that is not followed. */
export function canonicalise(
  code: Code,
  { nameOf, isReadOnly }: FlowOptions & { isReadOnly: (spelling: string) => boolean },
): PlainCode | undefined {
  return attempt(programOf(code), nameOf, (flow) => printCode(flow, isReadOnly));
}

/** Reads the identity of a program whose data are the given arguments; undefined if it does something that is not followed. */
export function flowFormOf(
  code: Code,
  { nameOf, isData }: FlowOptions & Pick<FormOptions, 'isData'>,
): FlowForm | undefined {
  return attempt(programOf(code), nameOf, ({ steps }) =>
    formOf(steps, { nameOf: (name) => nameOf(name) ?? name, isData }),
  );
}

function attempt<T>(program: Program, nameOf: FlowOptions['nameOf'], use: (flow: Flow) => T): T | undefined {
  try {
    return use(readProgram(program, (name) => nameOf(name) !== undefined));
  } catch (error) {
    // A program that is nested too deeply for the reader is not followed either.
    if (error instanceof Unreadable || error instanceof RangeError) return undefined;
    throw error;
  }
}
