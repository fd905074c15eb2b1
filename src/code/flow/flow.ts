import { findLinks, type Link, type PassedCall } from '../links/find-links.ts';
import type { Program } from '../syntax/ast.ts';
import { type Code, programOf } from '../syntax/parse.ts';
import { ParseError } from '../syntax/parse-error.ts';
import { applyLinks, isStraightLine, type LinkValues } from './apply-links.ts';
import { type PlainCode, printCode } from './print-code.ts';
import { type FlowForms, type FormOptions, formsOf } from './print-form.ts';
import { type Flow, readProgram } from './program-reader.ts';
import { Unreadable } from './unreadable.ts';

/** Tells callees apart. */
export interface FlowOptions {
  /** One name for all spellings of a callee; undefined for a name that is not known before the run. */
  readonly nameOf: (spelling: string) => string | undefined;
}

export interface CanonicalOptions extends FlowOptions {
  readonly isReadOnly: (spelling: string) => boolean;
  /** The calls that the run made, in order, to find where literals come from. */
  readonly passed?: readonly PassedCall[] | undefined;
  /** The user's words. A value that they contain comes from the user, not from a call. */
  readonly said?: string | undefined;
  /** Called when the calls' results are searched for links: the program makes exactly the calls of its run. */
  readonly onLinksSought?: (() => void) | undefined;
}

/** A program as plain steps, and the arguments that override its links. */
export interface CanonicalCode extends PlainCode {
  readonly links: LinkValues;
}

/** Rewrites a program as plain steps; undefined if it does something that is not followed. */
export function canonicalise(code: Code, options: CanonicalOptions): CanonicalCode | undefined {
  return attempt(programOf(code), options.nameOf, (flow) => {
    const linked = applyLinks(flow, linksOf(flow, options), new Set());
    return { ...printCode(linked, options.isReadOnly), links: linked.links };
  });
}

/** Finds links if the run made exactly the calls that the program spells out. */
function linksOf({ steps }: Flow, { passed = [], said, nameOf, onLinksSought }: CanonicalOptions): Link[] {
  const calls = steps.filter((step) => step.kind === 'call');
  const isRun =
    calls.length === passed.length && calls.every(({ name }, at) => nameOf(name) === passed[at]?.name);
  if (!isRun || calls.length < 2 || !isStraightLine(steps)) return [];
  onLinksSought?.();
  return findLinks(passed, { said: said ?? '' });
}

/** Reads the identity of a program whose data are the given arguments; undefined if it does something that is not followed. */
export function flowFormsOf(
  code: Code,
  { nameOf, isData }: FlowOptions & Pick<FormOptions, 'isData'>,
): FlowForms | undefined {
  return attempt(programOf(code), nameOf, ({ steps }) =>
    formsOf(steps, { nameOf: (name) => nameOf(name) ?? name, isData }),
  );
}

function attempt<T>(program: Program, nameOf: FlowOptions['nameOf'], use: (flow: Flow) => T): T | undefined {
  try {
    return use(readProgram(program, (name) => nameOf(name) !== undefined));
  } catch (error) {
    // A program that is nested too deeply for the reader, or for the parser once it is printed, is not followed either.
    if (error instanceof Unreadable || error instanceof RangeError || error instanceof ParseError)
      return undefined;
    throw error;
  }
}
