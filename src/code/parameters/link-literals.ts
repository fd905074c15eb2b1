import MagicString from 'magic-string';
import type { Json } from '../../json.ts';
import type { Link } from '../links/find-links.ts';
import { tellingOf } from '../links/index.ts';
import { type MemberNode, type Node, type Program, staticKey, unwrap } from '../syntax/ast.ts';
import { scalarOf } from '../syntax/constants.ts';
import type { Binding } from '../syntax/scope.ts';
import { scopesOf } from '../syntax/scope-analysis.ts';
import { type CallPlace, callPlacesOf } from './call-places.ts';
import { type Callees, toolNameOf } from './callees.ts';
import type { KnownCall, KnownTools } from './known-calls.ts';
import type { Parameter } from './parameter-names.ts';
import { changesObjects, readOfResult } from './result-reads.ts';
import { straightCallsOf } from './straight-calls.ts';
import { ValueFlow } from './value-flow.ts';

/** A program whose literals are parameters. */
export interface LiftedProgram {
  readonly program: Program;
  readonly parameters: readonly Parameter[];
  /** The values of its parameters, secrets included. */
  readonly values: Readonly<Record<string, Json>>;
}

export interface Linked {
  readonly code: string;
  readonly parameters: readonly Parameter[];
}

/** A parameter that may default to what an earlier call returns. */
interface Linkable {
  readonly parameter: Parameter;
  /** The places where the program reads it. */
  readonly reads: readonly Node[];
}

/**
 * Lists the names of the calls of a straight-line program, in order, if links may be found among them: if a distinctive literal
 * reaches another call than the first. Empty for all other programs.
 */
export function linkableCalls(program: Program, callees: Callees & KnownTools): string[] {
  const calls = straightCallsOf(program, callees) ?? [];
  if (calls.length < 2 || changesObjects(program)) return [];
  const isLinkable = literalPlaces(program, callees).some(({ callee }) => callee.call !== calls[0]?.call);
  return isLinkable ? calls.map(({ tool }) => tool) : [];
}

/** The literals of a program that stand where links lead to. */
export function returnedLiterals(
  program: Program,
  links: readonly Link[],
  callees: Callees & KnownTools,
): Set<Json> {
  const calls = straightCallsOf(program, callees) ?? [];
  const places = literalPlaces(program, callees);
  const found = links.flatMap(({ call, path }) => {
    const at = places.filter((one) => one.callee.call === calls[call]?.call && isAt(one, path));
    return at.length === 1 ? at.map(({ literal }) => literal) : [];
  });
  return new Set(found);
}

/** Lists the places where calls get a distinctive literal as it is. */
function literalPlaces(program: Program, callees: Callees & KnownTools): (CallPlace & { literal: Json })[] {
  const flow = new ValueFlow(program);
  return callPlacesOf(program, callees, flow).flatMap((place) => {
    const [found, ...others] = flow.literalsOf(place.value);
    const literal = found && others.length === 0 && !found.isPart ? scalarOf(found.node) : undefined;
    return literal !== undefined && isDistinctive(literal) ? [{ ...place, literal }] : [];
  });
}

/**
 * Lets parameters default to what an earlier call returns: `args.token` becomes `args.token ?? session.auth.token`, in all its
 * places. `links` are those of a run that made the calls which {@link linkableCalls} lists, and no others. With the argument the
 * program does what it did before; without it, it passes on what the call returned this time.
 */
export function linkLiterals(
  lifted: LiftedProgram,
  links: readonly Link[],
  callees: Callees & KnownTools,
): Linked {
  const { program, parameters } = lifted;
  const calls = straightCallsOf(program, callees) ?? [];
  const places = placesOf(lifted, callees);
  const text = new MagicString(program.source);
  const linked = new Map<Parameter, Parameter>();
  for (const { call, path, source } of links) {
    const own = places.filter(({ callee }) => callee.call === calls[call]?.call);
    const [place, ...others] = own.filter((one) => isAt(one, path));
    const from = calls[source.call];
    if (!place || others.length > 0 || !from || linked.has(place.parameter)) continue;
    const read = readOfResult(program, from.call, source.path, place.reads);
    if (read === undefined) continue;
    for (const node of place.reads) writeFallback(program, text, node, read);
    linked.set(place.parameter, linkTo(place.parameter, sourceText(from, source.path, callees)));
  }
  return { code: text.toString(), parameters: parameters.map((one) => linked.get(one) ?? one) };
}

/** The literal of a link is stored nowhere, neither as a default nor as an example. */
function linkTo({ name, secret }: Parameter, linkedTo: string): Parameter {
  return { name, secret, linkedTo };
}

/** Lists the places where calls get a parameter that was a distinctive literal, as it is. */
function placesOf(
  { program, parameters, values }: LiftedProgram,
  callees: Callees & KnownTools,
): (CallPlace & Linkable)[] {
  const byRead = new Map<Node, Linkable>();
  const reads = Map.groupBy(argumentReads(program), (node) => staticKey(node));
  for (const parameter of parameters) {
    // A value that stands in SQL is escaped there, and held to its place.
    if (parameter.schema || !isDistinctive(values[parameter.name])) continue;
    const own = reads.get(parameter.name) ?? [];
    for (const node of own) byRead.set(node, { parameter, reads: own });
  }
  if (byRead.size === 0) return [];
  return callPlacesOf(program, callees, new ValueFlow(program)).flatMap((place) => {
    const linkable = byRead.get(expressionOf(place.value, program));
    return linkable ? [{ ...place, ...linkable }] : [];
  });
}

/** Lists `args.x` wherever the program writes it. */
function argumentReads(program: Program): MemberNode[] {
  const { globals, parentOf } = scopesOf(program);
  return (globals.get('args') ?? []).flatMap((identifier) => {
    const parent = parentOf.get(identifier);
    return parent?.type === 'MemberExpression' && parent.object === identifier ? [parent] : [];
  });
}

function isDistinctive(value: Json | undefined): boolean {
  return (typeof value === 'string' || typeof value === 'number') && tellingOf(value) !== 'never';
}

/** The expression that a constant stands for. */
function expressionOf(node: Node, program: Program): Node {
  const { bindingOf } = scopesOf(program);
  const followed = new Set<Binding>();
  let at = unwrap(node);
  for (;;) {
    const binding = bindingOf.get(at);
    if (!binding?.constant || binding.origin?.keys.length !== 0 || followed.has(binding)) return at;
    followed.add(binding);
    at = unwrap(binding.origin.init);
  }
}

function isAt({ path: steps }: CallPlace, path: Link['path']): boolean {
  return (
    steps?.length === path.length &&
    steps.every((step, index) =>
      step === 'item' ? typeof path[index] === 'number' : step.property === path[index],
    )
  );
}

/** Parents in which `a ?? b` needs no brackets. */
const LOOSE = new Set<Node['type']>([
  'Property',
  'ArrayExpression',
  'CallExpression',
  'VariableDeclarator',
  'ReturnStatement',
  'TemplateLiteral',
]);

function writeFallback(program: Program, text: MagicString, node: Node, read: string): void {
  const parent = scopesOf(program).parentOf.get(node);
  const isLoose = parent !== undefined && LOOSE.has(parent.type);
  text.appendLeft(node.end, ` ?? ${read}${isLoose ? '' : ')'}`);
  if (!isLoose) text.prependRight(node.start, '(');
}

/** Says where the value comes from: `auth.token of desk:login`. */
function sourceText({ name }: KnownCall, path: readonly string[], callees: Callees): string {
  const part = path.length === 0 ? 'the result' : path.join('.');
  return `${part} of ${toolNameOf(callees, name) ?? 'an earlier call'}`;
}
