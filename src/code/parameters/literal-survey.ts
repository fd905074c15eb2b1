import type { Json } from '../../json.ts';
import { classifyLiteral, type LiteralKind, MAX_DEFAULT } from '../literals/classify-literal.ts';
import { secretFlag } from '../literals/secret-flag.ts';
import { isRequiredAt, type Step, schemaAt } from '../schema/tool-schema.ts';
import { type Node, type Program, staticKey, stringValue, unwrap } from '../syntax/ast.ts';
import { constantOf, scalarOf } from '../syntax/constants.ts';
import type { Binding } from '../syntax/scope.ts';
import { scopesOf } from '../syntax/scope-analysis.ts';
import { type CallArray, type CallValue, visitCallValues } from './call-values.ts';
import { type Callees, isReadOnlyCallee, toolNameOf } from './callees.ts';
import { type ClassifiedLiteral, OF_RUN, type SecretsOfRun } from './extract-secrets.ts';
import { type KnownCall, type KnownTools, knownCallsOf, parameterAt } from './known-calls.ts';
import type { NamedPlace } from './name-by-role.ts';
import type { ParameterVerdicts } from './parameter-verdicts.ts';

/** A literal or list that may become a parameter. */
export interface Candidate {
  readonly node: Node;
  readonly value: Json;
  readonly classified: ClassifiedLiteral;
  /** Where it is first passed. */
  readonly place: NamedPlace;
  /** True if a tool that may write demands it. */
  readonly isRequired: boolean;
}

interface Callee extends KnownCall {
  /** The name that may be shown. */
  readonly shownName: string | undefined;
  readonly isReadOnly: boolean;
}

/** Classifies every literal that is passed to a call, before anything is changed. */
export class LiteralSurvey {
  /** Literals and lists of data that may become parameters, in the order of the calls. */
  readonly candidates = new Map<Node, Candidate>();
  /** Every literal, classified with the help of its tool's schema. */
  readonly classified = new Map<Node, ClassifiedLiteral>();
  /** The computed values that a tool which may write demands. */
  readonly demanded = new Set<Node>();
  readonly #program: Program;
  /** Caches whether lists and objects hold only data: a nested one is looked at again with each one around it. */
  readonly #isAllData = new Map<Node, boolean>();

  readonly #verdicts: ParameterVerdicts;
  readonly #ofRun: SecretsOfRun;

  constructor(
    program: Program,
    callees: Callees & KnownTools,
    { verdicts, ofRun }: { verdicts: ParameterVerdicts; ofRun: SecretsOfRun },
  ) {
    this.#program = program;
    this.#verdicts = verdicts;
    this.#ofRun = ofRun;
    const calls = knownCallsOf(program, callees).map((known): Callee => {
      const shownName = toolNameOf(callees, known.name);
      return { ...known, shownName, isReadOnly: isReadOnlyCallee(callees, known.name) };
    });
    for (const callee of calls) this.#notice(callee);
    for (const callee of calls) this.#call(callee);
  }

  /** Takes note of all values of a call, so that those of one parameter are judged alike. */
  #notice(callee: Callee): void {
    const value = ({ node: passed, key, path }: CallValue) => {
      const text = stringValue(unwrap(this.#constantOf(passed)?.origin?.init ?? passed));
      if (text === undefined || !path) return;
      const parameter = parameterAt(callee, path);
      this.#verdicts.note(parameter, text, classifyLiteral({ value: text, key, schema: parameter.schema }));
    };
    visitCallValues(callee.call, callee.schema, { value, array: () => true });
  }

  #call(callee: Callee): void {
    visitCallValues(callee.call, callee.schema, {
      value: (value) => this.#value(value, callee),
      array: (array) => this.#array(array, callee),
    });
  }

  #value({ node: passed, key, path }: CallValue, callee: Callee): void {
    const binding = this.#constantOf(passed);
    const node = binding?.origin ? unwrap(binding.origin.init) : passed;
    const value = scalarOf(node);
    if (value === undefined) {
      if (isDemanded(callee, path, undefined)) this.demanded.add(node);
      return;
    }
    this.#classify(node, value, key, path, callee);
    // `const password = "x"` holds a secret, whatever key it is passed under.
    if (binding)
      this.#note(node, { ...classifyLiteral({ value, key: binding.name }), key: binding.name }, 'secret');
    this.#add(node, value, this.classified.get(node) as ClassifiedLiteral, { key, path }, callee);
  }

  #add(
    node: Node,
    value: Json,
    classified: ClassifiedLiteral,
    { key, path }: Pick<CallValue, 'key' | 'path'>,
    callee: Callee,
  ): void {
    const before = this.candidates.get(node);
    const isRequired = before?.isRequired || isDemanded(callee, path, value);
    const place = before?.place ?? {
      key,
      within: keysAround(path),
      tool: callee.shownName,
      isReadOnly: callee.isReadOnly,
    };
    this.candidates.set(node, { node, value, classified, place, isRequired });
  }

  /** Finds the constant that an identifier stands for: its literal stands at the declaration. */
  #constantOf(node: Node): Binding | undefined {
    const binding = node.type === 'Identifier' ? scopesOf(this.#program).bindingOf.get(node) : undefined;
    return binding?.constant && binding.origin?.keys.length === 0 ? binding : undefined;
  }

  /** Takes a list of data as one parameter, since its length is data too. True if its items must be visited. */
  #array({ node, key, path }: CallArray, callee: Callee): boolean {
    const value = constantOf(node);
    if (node.elements.length > 0 && value !== undefined && this.#isData(node, key, path, callee)) {
      const kind = JSON.stringify(value).length <= MAX_DEFAULT ? 'data' : 'program';
      this.#add(node, value, { kind, rule: 'list of data', by: 'value', key }, { key, path }, callee);
      return false;
    }
    // Single words of a list that is not all data (`["-c", "SELECT 1"]`) mean nothing alone.
    return node.elements.some((element) => element && scalarOf(element) === undefined);
  }

  #isData(node: Node, key: string | undefined, path: CallValue['path'], callee: Callee): boolean {
    const inner = unwrap(node);
    if (inner.type === 'ArrayExpression' || inner.type === 'ObjectExpression') {
      const isData = this.#isAllData.get(inner) ?? this.#holdsData(inner, key, path, callee);
      this.#isAllData.set(inner, isData);
      return isData;
    }
    const value = scalarOf(inner);
    if (value === undefined) return constantOf(inner) === null;
    return this.#classify(inner, value, key, path, callee).kind === 'data';
  }

  #holdsData(
    node: Extract<Node, { type: 'ArrayExpression' | 'ObjectExpression' }>,
    key: string | undefined,
    path: CallValue['path'],
    callee: Callee,
  ): boolean {
    if (node.type === 'ArrayExpression') {
      const items = path && [...path, 'item' as const];
      return node.elements.every((element, at) => {
        const flag = secretFlag(node.elements[at - 1]);
        return element && this.#isData(element, flag ?? key, flag === undefined ? items : undefined, callee);
      });
    }
    return node.properties.every((property) => {
      const name = property.type === 'Property' ? staticKey(property) : undefined;
      if (name === undefined || property.type !== 'Property') return false;
      return this.#isData(property.value, name, path && [...path, { property: name }], callee);
    });
  }

  /** Classifies a literal. A literal that is passed twice keeps the more severe kind. */
  #classify(
    node: Node,
    value: string | number | boolean,
    key: string | undefined,
    path: CallValue['path'],
    callee: Callee,
  ): ClassifiedLiteral {
    const own = classifyLiteral({ value, key, schema: path && schemaAt(callee.schema, path) });
    const isOfRun = typeof value !== 'boolean' && this.#ofRun.matcher.in(String(value)) !== undefined;
    if (isOfRun && own.kind !== 'secret')
      return this.#note(node, { kind: 'secret', rule: OF_RUN, by: 'value', key });
    const judged = path ? this.#verdicts.judge(parameterAt(callee, path), value, own) : own;
    return this.#note(node, { ...judged, key });
  }

  #note(node: Node, literal: ClassifiedLiteral, only?: LiteralKind): ClassifiedLiteral {
    const before = this.classified.get(node);
    const isWorse = !before || SEVERITY[literal.kind] > SEVERITY[before.kind];
    const isNew = isWorse && (only === undefined || literal.kind === only);
    const worst = isNew ? literal : (before as ClassifiedLiteral);
    this.classified.set(node, worst);
    return worst;
  }
}

const SEVERITY: Record<LiteralKind, number> = { data: 0, program: 1, secret: 2 };

/** True for payload that a tool which may write demands. Flags and choices are no payload: they keep their defaults. */
function isDemanded(
  { schema, isReadOnly }: Callee,
  path: readonly Step[] | undefined,
  value: Json | undefined,
): boolean {
  if (isReadOnly || !path || path.length === 0 || typeof value === 'boolean') return false;
  return isRequiredAt(schema, path) && !Array.isArray(schemaAt(schema, path)?.enum);
}

function keysAround(path: readonly Step[] | undefined): string[] {
  const keys = (path ?? []).flatMap((step) => (step === 'item' ? [] : step.property));
  return keys.slice(0, -1);
}
