import type { Json } from '../../json.ts';
import { classifyLiteral, type LiteralKind, MAX_DEFAULT } from '../literals/classify-literal.ts';
import { isExpressionPosition, keyedNodesOf } from '../literals/keyed-nodes.ts';
import { referenceNodesOf } from '../references/find-references.ts';
import { schemaAt } from '../schema/tool-schema.ts';
import { isWrapper, type Node, type Program, stringValue } from '../syntax/ast.ts';
import { constantOf, scalarOf } from '../syntax/constants.ts';
import { contains } from '../syntax/positions.ts';
import type { Scopes } from '../syntax/scope.ts';
import { scopesOf } from '../syntax/scope-analysis.ts';
import { type CallPlace, callPlacesOf, isDemanded } from './call-places.ts';
import type { Callees } from './callees.ts';
import { type ClassifiedLiteral, OF_RUN, type SecretsOfRun } from './extract-secrets.ts';
import { type KnownTools, parameterAt } from './known-calls.ts';
import { LiteralRoles, type Role } from './literal-roles.ts';
import type { Occurrence } from './occurrence.ts';
import type { ParameterVerdicts } from './parameter-verdicts.ts';
import { type SqlSurvey, surveySql } from './sql-survey.ts';
import { ValueFlow } from './value-flow.ts';

export interface Survey {
  /** Texts, numbers and flags, in source order. */
  readonly scalars: readonly Occurrence[];
  /** Lists whose items are all written out. */
  readonly lists: readonly Occurrence[];
  readonly sql: SqlSurvey;
  /** Every literal that was judged, for the search for secrets. */
  readonly classified: ReadonlyMap<Node, ClassifiedLiteral>;
}

interface Reach {
  readonly place: CallPlace;
  readonly isPart: boolean;
}

/** Looks at every literal of a program. */
export function surveyLiterals(
  program: Program,
  callees: Callees & KnownTools,
  judges: { verdicts: ParameterVerdicts; ofRun: SecretsOfRun },
): Survey {
  const flow = new ValueFlow(program);
  const scopes = scopesOf(program);
  const places = callPlacesOf(program, callees, flow);
  const reaches = reachesOf(places, flow);
  noteTexts(reaches, judges.verdicts);
  const surveyor = new Surveyor(scopes, new LiteralRoles(program, flow), reaches, judges);
  const references = referenceNodesOf(program).map(({ node }) => node);
  const scalars: Occurrence[] = [];
  const lists: Occurrence[] = [];
  for (const { node, parent } of keyedNodesOf(program)) {
    if (parent && (isSigned(parent) || isOfType(parent))) continue;
    // The name of a tool in `mcp["fs:read"]` is no data.
    if (references.some((reference) => contains(reference, node))) continue;
    const value = node.type === 'ArrayExpression' ? constantOf(node) : literalOf(node);
    if (value === undefined || (Array.isArray(value) && value.length === 0)) continue;
    const occurrence = surveyor.look(node, value, isExpressionPosition(node, parent));
    (node.type === 'ArrayExpression' ? lists : scalars).push(occurrence);
  }
  const sql = surveySql(program, places, scalars, flow, judges.ofRun);
  return {
    scalars: [...scalars, ...sql.constants].sort((a, b) => a.node.start - b.node.start),
    lists,
    sql,
    classified: surveyor.classified,
  };
}

/** The value of a scalar literal itself, not of a wrapper around it. */
function literalOf(node: Node): string | number | boolean | undefined {
  return isWrapper(node) ? undefined : scalarOf(node);
}

/** True for `"open"` in `state: "open" | "closed"`. */
function isOfType(parent: Node): boolean {
  return parent.type.startsWith('TS') && !isWrapper(parent);
}

function isSigned(parent: Node): boolean {
  return parent.type === 'UnaryExpression' && scalarOf(parent) !== undefined;
}

function reachesOf(places: readonly CallPlace[], flow: ValueFlow): Map<Node, Reach[]> {
  const reaches = new Map<Node, Reach[]>();
  for (const place of places) {
    for (const { node, isPart } of flow.literalsOf(place.value)) {
      const known = reaches.get(node);
      if (known) known.push({ place, isPart });
      else reaches.set(node, [{ place, isPart }]);
    }
  }
  return reaches;
}

/** Takes note of all texts that calls get, so that those of one parameter are judged alike. */
function noteTexts(reaches: ReadonlyMap<Node, readonly Reach[]>, verdicts: ParameterVerdicts): void {
  for (const [node, found] of reaches) {
    const text = stringValue(node);
    for (const { place, isPart } of text === undefined ? [] : found) {
      if (!place.path || isPart || text === undefined) continue;
      const parameter = parameterAt(place.callee, place.path);
      verdicts.note(
        parameter,
        text,
        classifyLiteral({ value: text, key: place.key, schema: parameter.schema }),
      );
    }
  }
}

class Surveyor {
  readonly classified = new Map<Node, ClassifiedLiteral>();
  readonly #scopes: Scopes;
  readonly #roles: LiteralRoles;
  readonly #reaches: ReadonlyMap<Node, readonly Reach[]>;
  readonly #verdicts: ParameterVerdicts;
  readonly #ofRun: SecretsOfRun;

  constructor(
    scopes: Scopes,
    roles: LiteralRoles,
    reaches: ReadonlyMap<Node, readonly Reach[]>,
    { verdicts, ofRun }: { verdicts: ParameterVerdicts; ofRun: SecretsOfRun },
  ) {
    this.#scopes = scopes;
    this.#roles = roles;
    this.#reaches = reaches;
    this.#verdicts = verdicts;
    this.#ofRun = ofRun;
  }

  look(node: Node, value: Json, mayReplace: boolean): Occurrence {
    const reaches = this.#reaches.get(node) ?? [];
    const places = reaches.filter(({ isPart }) => !isPart).map(({ place }) => place);
    const role = this.#roles.of(node);
    return {
      node,
      value,
      role,
      places,
      isDemanded:
        typeof value !== 'boolean' && !role.isTerm && reaches.some(({ place }) => isDemanded(place)),
      classified: Array.isArray(value)
        ? this.#judgeList(node, value, role)
        : this.#judge(node, value, role, mayReplace ? places : []),
      isReplaceable: mayReplace && !this.#scopes.isShadowed(node, 'args'),
    };
  }

  /** Judges a literal at all its places; the most severe verdict counts. */
  #judge(node: Node, value: Json, { key: own }: Role, places: readonly CallPlace[]): ClassifiedLiteral {
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean')
      return { kind: 'program', rule: 'none', by: 'value', key: undefined };
    const alone = { ...classifyLiteral({ value, key: own }), key: own };
    const verdicts = places.map((place) => this.#judgeAt(value, place));
    const isOfRun = typeof value !== 'boolean' && this.#ofRun.matcher.in(String(value)) !== undefined;
    const candidates: ClassifiedLiteral[] = [
      // `const password = "x"` holds a secret, whatever key it is passed under; otherwise the call knows better.
      ...(verdicts.length === 0 || alone.kind === 'secret' ? [alone] : []),
      ...verdicts,
      ...(isOfRun ? [{ kind: 'secret', rule: OF_RUN, by: 'value', key: places[0]?.key } as const] : []),
    ];
    const worst = candidates.reduce((a, b) => (SEVERITY[b.kind] > SEVERITY[a.kind] ? b : a));
    if (verdicts.length > 0) this.classified.set(node, worst);
    return worst;
  }

  #judgeAt(value: string | number | boolean, { callee, key, path }: CallPlace): ClassifiedLiteral {
    const own = classifyLiteral({ value, key, schema: path && schemaAt(callee.schema, path) });
    const judged = path ? this.#verdicts.judge(parameterAt(callee, path), value, own) : own;
    return { ...judged, key };
  }

  /** A list is data if it is short enough; its items are judged one by one. */
  #judgeList(node: Node, value: readonly Json[], { key }: Role): ClassifiedLiteral {
    const kind = JSON.stringify(value).length <= MAX_DEFAULT ? 'data' : 'program';
    const place = this.#reaches.get(node)?.find(({ isPart }) => !isPart)?.place;
    return { kind, rule: 'list of data', by: 'value', key: place?.key ?? key };
  }
}

const SEVERITY: Record<LiteralKind, number> = { data: 0, program: 1, secret: 2 };
