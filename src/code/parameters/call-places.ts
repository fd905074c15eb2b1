import { secretFlag } from '../literals/secret-flag.ts';
import { isRequiredAt, positionalKey, type Step, schemaAt } from '../schema/tool-schema.ts';
import { type Node, type Program, staticKey, unwrap } from '../syntax/ast.ts';
import { type Callees, isReadOnlyCallee, toolNameOf } from './callees.ts';
import { type KnownCall, type KnownTools, knownCallsOf } from './known-calls.ts';
import { executesRead } from './sql-calls.ts';
import type { ValueFlow } from './value-flow.ts';

/** A call of a tool or capability, with what decides about the literals that it passes. */
export interface PlacedCall extends KnownCall {
  /** The name that may be shown. */
  readonly shownName: string | undefined;
  readonly isReadOnly: boolean;
}

/** A value in the argument of a call, however it gets there. */
export interface CallPlace {
  readonly callee: PlacedCall;
  readonly value: Node;
  /** The property that holds it; for an item, that of its list. */
  readonly key: string | undefined;
  /** The path to it in the tool's argument; undefined behind a computed key. */
  readonly path: readonly Step[] | undefined;
}

const MAX_DEPTH = 12;

/** Lists the values that a program passes to its calls, also through objects that it builds or spreads elsewhere. */
export function callPlacesOf(program: Program, callees: Callees & KnownTools, flow: ValueFlow): CallPlace[] {
  const places: CallPlace[] = [];
  for (const known of knownCallsOf(program, callees)) {
    const shownName = toolNameOf(callees, known.name);
    const isReadOnly = isReadOnlyCallee(callees, known.name) || executesRead(program, known);
    const callee = { ...known, shownName, isReadOnly };
    for (const [index, argument] of known.call.arguments.entries()) {
      if (argument.type === 'SpreadElement') continue;
      const isObject = index === 0 && flow.objectsOf(argument).length > 0;
      const key = isObject ? undefined : positionalKey(known.schema, index);
      const path = isObject ? [] : key === undefined ? undefined : [{ property: key }];
      visit({ callee, value: argument, key, path }, flow, places, 0);
    }
  }
  return places;
}

function visit(place: CallPlace, flow: ValueFlow, places: CallPlace[], depth: number): void {
  const node = unwrap(place.value);
  if (depth > MAX_DEPTH) return;
  const objects = flow.objectsOf(node);
  for (const object of objects) visitProperties({ ...place, value: object }, flow, places, depth);
  if (objects.length > 0) return;
  places.push({ ...place, value: node });
  if (node.type !== 'ArrayExpression') return;
  const path = place.path && [...place.path, 'item' as const];
  for (const [at, element] of node.elements.entries()) {
    if (!element || element.type === 'SpreadElement') continue;
    const flag = secretFlag(node.elements[at - 1]);
    visit(
      { ...place, value: element, key: flag ?? place.key, path: flag === undefined ? path : undefined },
      flow,
      places,
      depth + 1,
    );
  }
}

function visitProperties(place: CallPlace, flow: ValueFlow, places: CallPlace[], depth: number): void {
  if (place.value.type !== 'ObjectExpression') return;
  for (const property of place.value.properties) {
    if (property.type === 'SpreadElement') {
      for (const object of flow.objectsOf(property.argument))
        visitProperties({ ...place, value: object }, flow, places, depth + 1);
      continue;
    }
    const key = staticKey(property);
    if (property.kind !== 'init' || property.method || key === '__proto__') continue;
    const path = place.path && key !== undefined ? [...place.path, { property: key }] : undefined;
    visit({ ...place, value: property.value, key, path }, flow, places, depth + 1);
  }
}

/** True for payload that a tool which may write demands. Flags and choices are no payload: they keep their defaults. */
export function isDemanded({ callee: { schema, isReadOnly }, path }: CallPlace): boolean {
  if (isReadOnly || !path || path.length === 0) return false;
  return isRequiredAt(schema, path) && !Array.isArray(schemaAt(schema, path)?.enum);
}

/** The properties around a value, outermost first. */
export function keysAround({ path }: CallPlace): string[] {
  const keys = (path ?? []).flatMap((step) => (step === 'item' ? [] : step.property));
  return keys.slice(0, -1);
}
