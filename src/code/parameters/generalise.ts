import MagicString from 'magic-string';
import type { Json, JsonSchema, ToolSchema } from '../../json.ts';
import { judge, type Verdict } from '../literals/classify-literal.ts';
import { secretFlag } from '../literals/secret-flag.ts';
import { argumentUsesOf } from '../references/argument-uses.ts';
import { sitesOf } from '../references/find-references.ts';
import { schemaAt } from '../schema/tool-schema.ts';
import { type CallNode, type Node, type Program, staticKey, unwrap } from '../syntax/ast.ts';
import { constantOf, scalarOf } from '../syntax/constants.ts';
import type { Span } from '../syntax/positions.ts';
import { overwrite } from '../syntax/replace-expression.ts';
import { type Binding, scopesOf } from '../syntax/scope.ts';
import { type CallArray, type CallValue, visitCallValues } from './call-values.ts';
import { hideInComments, hideSecrets, type Judged } from './extract-secrets.ts';
import { type Parameter, ParameterNames } from './parameter-names.ts';

export interface Generalised {
  /** The program with `args.x` in the place of what became a parameter. */
  readonly code: string;
  /** In the order in which the code meets them. */
  readonly parameters: readonly Parameter[];
  /** Every literal passed to a call and what was decided, for people. */
  readonly literals: readonly JudgedLiteral[];
  /** Why this code must not be stored: a secret is left that could not be made a parameter. */
  readonly unsafe: string | undefined;
}

export interface JudgedLiteral extends Judged {
  readonly span: Span;
  /** The parameter it became. */
  readonly parameter: string | undefined;
}

/** A longer list would drown the parameter it is the default of. */
const LONGEST_LIST = 2000;

/**
 * Turns what is data in the calls of a program into parameters. The literal becomes the default in the schema, not in
 * the code, so two programs that differ in data alone become one text; run without arguments, defaults filled in, it
 * does what the original did.
 */
export function generalise(program: Program, { toolSchema }: { toolSchema: ToolSchema }): Generalised {
  const survey = new Survey(program);
  for (const site of sitesOf(program)) {
    if (site.call) survey.call(site.call, site.name === undefined ? undefined : toolSchema(site.name));
  }
  const text = new MagicString(program.source);
  hideInComments(program, text);
  const { uses, escapes } = argumentUsesOf(program);
  const names = new ParameterNames(uses.map(({ name }) => name));
  const literals = [...survey.candidates.values()].map((candidate) => {
    const { node, key, value, judgement } = candidate;
    // With `args` handed on as a whole, a default would be handed on with it.
    const isLifted = judgement.verdict === 'data' && !escapes && !scopesOf(program).isShadowed(node, 'args');
    const parameter = isLifted ? names.give(key, value, false)?.name : undefined;
    if (parameter !== undefined) overwrite(text, node, `args.${parameter}`);
    return { span: { start: node.start, end: node.end }, ...judgement, key, parameter };
  });
  const unsafe = hideSecrets(program, text, names, survey.judged);
  return { code: text.toString(), parameters: names.all(), literals, unsafe };
}

interface Candidate {
  readonly node: Node;
  readonly key: string | undefined;
  readonly value: Json;
  readonly judgement: Judged;
}

/** Looks at every literal that is passed to a call, before anything is changed. */
class Survey {
  /** What may become a parameter: literals, and lists of nothing but data. */
  readonly candidates = new Map<Node, Candidate>();
  /** Every literal, with what its tool's schema helped to find. */
  readonly judged = new Map<Node, Judged>();
  readonly #program: Program;
  /** Whether lists and objects are nothing but data. One inside another is asked for with both. */
  readonly #isAllData = new Map<Node, boolean>();

  constructor(program: Program) {
    this.#program = program;
  }

  call(call: CallNode, schema: JsonSchema | undefined): void {
    visitCallValues(call, schema, {
      value: (value) => this.value(value, schema),
      array: (array) => this.array(array, schema),
    });
  }

  value({ node: passed, key, path }: CallValue, schema: JsonSchema | undefined): void {
    const binding = this.#constantOf(passed);
    const node = binding?.origin ? unwrap(binding.origin.init) : passed;
    const value = scalarOf(node);
    if (value === undefined) return;
    this.judge(node, value, key, path, schema);
    // `const password = "x"` is one, whatever it is passed as.
    if (binding) this.#note(node, { ...judge({ value, key: binding.name }), key: binding.name }, 'secret');
    const before = this.candidates.get(node);
    const judgement = this.judged.get(node) as Judged;
    this.candidates.set(node, { node, key: before?.key ?? key, value, judgement });
  }

  /** A constant is passed straight too: the literal then stands at its declaration. */
  #constantOf(node: Node): Binding | undefined {
    const binding = node.type === 'Identifier' ? scopesOf(this.#program).bindingOf.get(node) : undefined;
    return binding?.constant && binding.origin?.keys.length === 0 ? binding : undefined;
  }

  /** A list of nothing but data is one parameter: its length is data too. True if its items are to be looked at. */
  array({ node, key, path }: CallArray, schema: JsonSchema | undefined): boolean {
    const value = constantOf(node);
    if (node.elements.length > 0 && value !== undefined && this.#isData(node, key, path, schema)) {
      const rule = 'list of data';
      const verdict = JSON.stringify(value).length <= LONGEST_LIST ? 'data' : 'program';
      this.candidates.set(node, { node, key, value, judgement: { verdict, rule, key } });
      return false;
    }
    // Single words of a list that is not data as a whole (`["-c", "SELECT 1"]`) mean nothing alone.
    return node.elements.some((element) => element && scalarOf(element) === undefined);
  }

  #isData(
    node: Node,
    key: string | undefined,
    path: CallValue['path'],
    schema: JsonSchema | undefined,
  ): boolean {
    const inner = unwrap(node);
    if (inner.type === 'ArrayExpression' || inner.type === 'ObjectExpression') {
      const isData = this.#isAllData.get(inner) ?? this.#holdsData(inner, key, path, schema);
      this.#isAllData.set(inner, isData);
      return isData;
    }
    const value = scalarOf(inner);
    if (value === undefined) return constantOf(inner) === null;
    return this.judge(inner, value, key, path, schema).verdict === 'data';
  }

  #holdsData(
    node: Extract<Node, { type: 'ArrayExpression' | 'ObjectExpression' }>,
    key: string | undefined,
    path: CallValue['path'],
    schema: JsonSchema | undefined,
  ): boolean {
    if (node.type === 'ArrayExpression') {
      const items = path && [...path, 'item' as const];
      return node.elements.every((element, at) => {
        const flag = secretFlag(node.elements[at - 1]);
        return element && this.#isData(element, flag ?? key, flag === undefined ? items : undefined, schema);
      });
    }
    return node.properties.every((property) => {
      const name = property.type === 'Property' ? staticKey(property) : undefined;
      if (name === undefined || property.type !== 'Property') return false;
      return this.#isData(property.value, name, path && [...path, { property: name }], schema);
    });
  }

  /** Judges a literal; one that is passed twice is the worst of what it was called. */
  judge(
    node: Node,
    value: string | number | boolean,
    key: string | undefined,
    path: CallValue['path'],
    schema: JsonSchema | undefined,
  ): Judged {
    return this.#note(node, { ...judge({ value, key, schema: path && schemaAt(schema, path) }), key });
  }

  #note(node: Node, judged: Judged, only?: Verdict): Judged {
    const before = this.judged.get(node);
    const isWorse = !before || SEVERITY[judged.verdict] > SEVERITY[before.verdict];
    const worst = isWorse && (only === undefined || judged.verdict === only) ? judged : (before as Judged);
    this.judged.set(node, worst);
    return worst;
  }
}

const SEVERITY: Record<Verdict, number> = { data: 0, program: 1, secret: 2 };
