import MagicString from 'magic-string';
import type { Json, JsonSchema, ToolSchema } from '../../json.ts';
import { classifyLiteral, type LiteralKind } from '../literals/classify-literal.ts';
import { secretFlag } from '../literals/secret-flag.ts';
import { argumentUsesOf } from '../references/argument-uses.ts';
import { referenceNodesOf } from '../references/find-references.ts';
import { schemaAt } from '../schema/tool-schema.ts';
import { type CallNode, type Node, type Program, staticKey, unwrap } from '../syntax/ast.ts';
import { constantOf, scalarOf } from '../syntax/constants.ts';
import type { Span } from '../syntax/positions.ts';
import { replaceExpression } from '../syntax/replace-expression.ts';
import type { Binding } from '../syntax/scope.ts';
import { scopesOf } from '../syntax/scope-analysis.ts';
import { type CallArray, type CallValue, visitCallValues } from './call-values.ts';
import {
  blankSecretComments,
  type ClassifiedLiteral,
  extractSecrets,
  NO_RUN,
  OF_RUN,
  type SecretsOfRun,
} from './extract-secrets.ts';
import { type Parameter, ParameterNames } from './parameter-names.ts';

export interface Generalised {
  /** The program with `args.x` in place of each literal that became a parameter. */
  readonly code: string;
  /** In source order. */
  readonly parameters: readonly Parameter[];
  /** Every literal passed to a call and how it was classified, for people. */
  readonly literals: readonly LiteralReport[];
  /** The texts that became secret parameters. */
  readonly secretTexts: readonly string[];
  /** Why this code must not be stored: it holds a secret that could not be made a parameter. */
  readonly unsafe: string | undefined;
}

export interface LiteralReport extends ClassifiedLiteral {
  readonly span: Span;
  /** The parameter that it became. */
  readonly parameter: string | undefined;
}

/** In characters of JSON. A longer list is no readable default. */
const MAX_LIST = 2000;

/**
 * Turns the data in the calls of a program into parameters. A literal becomes a default in the schema, not in the code,
 * so two programs that differ only in data become one text. Run without arguments, defaults filled in, the program does
 * what the original did.
 */
export function generalise(
  program: Program,
  { toolSchema, ofRun = NO_RUN }: { toolSchema: ToolSchema; ofRun?: SecretsOfRun },
): Generalised {
  const survey = new LiteralSurvey(program, ofRun);
  for (const { call, name } of referenceNodesOf(program)) {
    if (call) survey.call(call, name === undefined ? undefined : toolSchema(name));
  }
  const text = new MagicString(program.source);
  blankSecretComments(program, text, ofRun);
  const { uses, escapes } = argumentUsesOf(program);
  const names = new ParameterNames(uses.map(({ name }) => name));
  const literals = [...survey.candidates.values()].map((candidate) => {
    const { node, key, value, classified } = candidate;
    // If the code passes `args` on as a whole, it would pass on the default as well.
    const isLifted = classified.kind === 'data' && !escapes && !scopesOf(program).isShadowed(node, 'args');
    const parameter = isLifted ? names.allocate(key, value, false)?.name : undefined;
    if (parameter !== undefined) replaceExpression(text, node, `args.${parameter}`);
    return { span: { start: node.start, end: node.end }, ...classified, key, parameter };
  });
  const { unsafe, lifted: secretTexts } = extractSecrets(program, text, names, survey.classified, ofRun);
  return { code: text.toString(), parameters: names.all(), literals, secretTexts, unsafe };
}

interface Candidate {
  readonly node: Node;
  readonly key: string | undefined;
  readonly value: Json;
  readonly classified: ClassifiedLiteral;
}

/** Classifies every literal that is passed to a call, before anything is changed. */
class LiteralSurvey {
  /** Literals and lists of data that may become parameters. */
  readonly candidates = new Map<Node, Candidate>();
  /** Every literal, classified with the help of its tool's schema. */
  readonly classified = new Map<Node, ClassifiedLiteral>();
  readonly #program: Program;
  /** Caches whether lists and objects hold only data: a nested one is looked at again with each one around it. */
  readonly #isAllData = new Map<Node, boolean>();

  readonly #ofRun: SecretsOfRun;

  constructor(program: Program, ofRun: SecretsOfRun) {
    this.#program = program;
    this.#ofRun = ofRun;
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
    this.#classify(node, value, key, path, schema);
    // `const password = "x"` holds a secret, whatever key it is passed under.
    if (binding)
      this.#note(node, { ...classifyLiteral({ value, key: binding.name }), key: binding.name }, 'secret');
    const before = this.candidates.get(node);
    const classified = this.classified.get(node) as ClassifiedLiteral;
    this.candidates.set(node, { node, key: before?.key ?? key, value, classified });
  }

  /** Finds the constant that an identifier stands for: its literal stands at the declaration. */
  #constantOf(node: Node): Binding | undefined {
    const binding = node.type === 'Identifier' ? scopesOf(this.#program).bindingOf.get(node) : undefined;
    return binding?.constant && binding.origin?.keys.length === 0 ? binding : undefined;
  }

  /** Takes a list of data as one parameter, since its length is data too. True if its items must be visited. */
  array({ node, key, path }: CallArray, schema: JsonSchema | undefined): boolean {
    const value = constantOf(node);
    if (node.elements.length > 0 && value !== undefined && this.#isData(node, key, path, schema)) {
      const rule = 'list of data';
      const kind = JSON.stringify(value).length <= MAX_LIST ? 'data' : 'program';
      this.candidates.set(node, { node, key, value, classified: { kind, rule, key } });
      return false;
    }
    // Single words of a list that is not all data (`["-c", "SELECT 1"]`) mean nothing alone.
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
    return this.#classify(inner, value, key, path, schema).kind === 'data';
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

  /** Classifies a literal. One that is passed twice keeps the more severe kind. */
  #classify(
    node: Node,
    value: string | number | boolean,
    key: string | undefined,
    path: CallValue['path'],
    schema: JsonSchema | undefined,
  ): ClassifiedLiteral {
    const literal = classifyLiteral({ value, key, schema: path && schemaAt(schema, path) });
    const isOfRun = typeof value !== 'boolean' && this.#ofRun.matcher.in(String(value)) !== undefined;
    if (isOfRun && literal.kind !== 'secret') return this.#note(node, { kind: 'secret', rule: OF_RUN, key });
    return this.#note(node, { ...literal, key });
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
