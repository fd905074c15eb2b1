import type { LinkValues } from '../flow/apply-links.ts';
import { canonicalise, flowFormsOf } from '../flow/flow.ts';
import type { FlowForms } from '../flow/print-form.ts';
import type { PassedCall } from '../links/find-links.ts';
import { isReadOnlyCallee } from '../parameters/callees.ts';
import { type Generalised, type GeneraliseOptions, generalise } from '../parameters/generalise.ts';
import type { Program } from '../syntax/ast.ts';
import { parse } from '../syntax/parse.ts';
import { scopesOf } from '../syntax/scope-analysis.ts';

export interface FlowGeneraliseOptions extends GeneraliseOptions {
  /** One name for all spellings of a callee; undefined for a name that is not known before the run. */
  readonly nameOf: (spelling: string) => string | undefined;
  /** The calls that the run made, and the user's words, to find the literals that come from earlier calls. */
  readonly passed?: readonly PassedCall[] | undefined;
  readonly said?: string | undefined;
  readonly onLinksSought?: (() => void) | undefined;
}

interface GeneralisedFlow extends Generalised {
  readonly flow: FlowForms | undefined;
  /** The literals that links replaced, by the argument that overrides the link. */
  readonly links: LinkValues;
}

/**
 * Generalises a program. Data that reaches a call only through helpers, loops or objects becomes parameters too: for
 * that, the program is rewritten as plain steps. A program that needs no such rewrite stays as it was written.
 */
export function generaliseFlow(program: Program, options: FlowGeneraliseOptions): GeneralisedFlow {
  const written = withFlow(program, options);
  // The declared types and defaults of a program's own arguments would be lost.
  const hasOwnArguments = scopesOf(program).globals.has('args');
  const isReadOnly = (name: string) => isReadOnlyCallee(options, name);
  const plain =
    hasOwnArguments || isPure(program) ? undefined : canonicalise(program, { ...options, isReadOnly });
  if (plain === undefined) return written;
  const rewritten = withFlow(parse(plain.code), options, plain.links);
  const isKept = written.unsafe === undefined && !plain.isSerialised && Object.keys(plain.links).length === 0;
  return isKept && isSameFlow(written.flow, rewritten.flow) ? written : rewritten;
}

function withFlow(program: Program, options: FlowGeneraliseOptions, links: LinkValues = {}): GeneralisedFlow {
  const generalised = generalise(program, options);
  const data = new Set([...generalised.parameters.map(({ name }) => name), ...Object.keys(links)]);
  const flow = flowFormsOf(generalised.code, { ...options, isData: (name) => data.has(name) });
  return { ...generalised, flow, links };
}

/** True for a program that calls no tool or capability. */
function isPure(program: Program): boolean {
  return !scopesOf(program).globals.has('mcp');
}

/** True if both do the same and the same places share a parameter. */
function isSameFlow(a: FlowForms | undefined, b: FlowForms | undefined): boolean {
  const [first, second] = [a?.forms[0], b?.forms[0]];
  return !!first && !!second && first.hash === second.hash && sharing(first.holes) === sharing(second.holes);
}

function sharing(holes: readonly string[]): string {
  return holes.map((name) => holes.indexOf(name)).join();
}
