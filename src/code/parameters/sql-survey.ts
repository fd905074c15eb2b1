import type { JsonSchema } from '../../json.ts';
import { classifyLiteral } from '../literals/classify-literal.ts';
import { schemaAt } from '../schema/tool-schema.ts';
import { pastedSchema, type SqlLiteral } from '../sql/sql-hole.ts';
import { type Node, type Program, stringValue } from '../syntax/ast.ts';
import { constantOf, scalarOf } from '../syntax/constants.ts';
import type { CallPlace } from './call-places.ts';
import type { SecretsOfRun } from './extract-secrets.ts';
import type { Occurrence } from './occurrence.ts';
import { definitionOf } from './sql-calls.ts';
import { constantsOfSql } from './sql-constants.ts';
import { narrowed, type Pasted } from './sql-schemas.ts';
import { type SqlText, sqlTextOf } from './sql-texts.ts';
import type { ValueFlow } from './value-flow.ts';

/** The SQL of a program. */
export interface SqlSurvey {
  /** Constants of texts that only read, each an occurrence of its own. */
  readonly constants: readonly Occurrence[];
  readonly pasted: Pasted;
  /** Texts that a tool executes or evaluates, and fragments of them. No value may be written into these. */
  readonly programs: readonly Node[];
}

/** Reads the SQL that the calls of a program get, written out or put together. */
export function surveySql(
  program: Program,
  places: readonly CallPlace[],
  scalars: readonly Occurrence[],
  flow: ValueFlow,
  ofRun: SecretsOfRun,
): SqlSurvey {
  const written = scalars.filter(isProgramText).map(({ node }) => node);
  const built = new Map<Node, CallPlace>();
  for (const place of places) {
    const node = builtTextAt(program, place.value);
    if (node && isProgramAt(place, writtenText(node))) built.set(node, place);
  }
  const texts = [...new Set([...written, ...built.keys()])].flatMap((node) => sqlTextOf(node) ?? []);
  return {
    constants: texts.flatMap((text) => constantsOfSql(program, text, ofRun)),
    pasted: pastedIn(texts, flow),
    programs: [...built.keys(), ...places.flatMap((place) => fragmentsAt(place, flow))],
  };
}

function isProgramText({ value, places, classified, isReplaceable }: Occurrence): boolean {
  return typeof value === 'string' && places.length > 0 && classified.kind === 'program' && isReplaceable;
}

/** The template or sum that an expression is, or that a constant holds. */
function builtTextAt(program: Program, value: Node): Node | undefined {
  const node = definitionOf(program, value);
  const isBuilt =
    node.type === 'TemplateLiteral' || (node.type === 'BinaryExpression' && node.operator === '+');
  return isBuilt && scalarOf(node) === undefined ? node : undefined;
}

function isProgramAt({ key, callee, path }: CallPlace, text: string): boolean {
  if (text.trim() === '') return false;
  const { kind } = classifyLiteral({ value: text, key, schema: path && schemaAt(callee.schema, path) });
  return kind === 'program';
}

/** The parts of a program that are more than a value: `"where city = 'Oslo'"`, joined with others. */
function fragmentsAt(place: CallPlace, flow: ValueFlow): Node[] {
  if (scalarOf(place.value) !== undefined) return [];
  const texts = flow.literalsOf(place.value).flatMap(({ node, isPart }) => {
    const text = isPart ? stringValue(node) : undefined;
    return text === undefined ? [] : [{ node, text }];
  });
  if (!isProgramAt(place, texts.map(({ text }) => text).join(' '))) return [];
  return texts.filter(({ text }) => /['"`\s=]/.test(text)).map(({ node }) => node);
}

function writtenText(node: Node): string {
  if (node.type === 'TemplateLiteral')
    return node.quasis.map(({ value }) => value.cooked ?? value.raw).join('x');
  if (node.type === 'BinaryExpression' && node.operator === '+')
    return writtenText(node.left) + writtenText(node.right);
  return stringValue(node) ?? '';
}

function pastedIn(texts: readonly SqlText[], flow: ValueFlow): Map<Node, JsonSchema> {
  const pasted = new Map<Node, JsonSchema>();
  for (const { parts, sql } of texts) {
    for (const [part, literal] of sql.values) {
      const expression = parts[part]?.node;
      for (const { node } of expression ? flow.literalsOf(expression) : [])
        pasted.set(node, narrowed(pasted.get(node), schemaWherePasted(node, literal)));
    }
  }
  return pasted;
}

/** A number may also stand between quotes. */
function schemaWherePasted(node: Node, literal: SqlLiteral): JsonSchema {
  const value = constantOf(node);
  const isText = typeof (Array.isArray(value) ? value[0] : value) === 'string';
  return isText || literal.kind === 'number' ? pastedSchema(literal) : { type: 'number' };
}
