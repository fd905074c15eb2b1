import type MagicString from 'magic-string';
import { sqlHole } from '../sql/sql-hole.ts';
import { replaceExpression, templateText } from '../syntax/replace-expression.ts';
import type { LiteralGroup } from './literal-groups.ts';
import type { Occurrence } from './occurrence.ts';
import type { ProgramText } from './program-texts.ts';
import type { SqlConstant } from './sql-texts.ts';

/** Writes the parameters into the SQL that holds their constants: each in its own span, with the escapes of its type. */
export function writeSqlConstants(text: MagicString, nameOf: ReadonlyMap<LiteralGroup, string>): void {
  const named = [...nameOf].flatMap(([{ occurrences }, name]) =>
    occurrences.flatMap(({ node, sql }) => (sql ? [{ node, sql, hole: holeOf(sql, name) }] : [])),
  );
  for (const [node, inPart] of Map.groupBy(named, ({ sql }) => sql.part.node)) {
    if (node.type === 'TemplateElement')
      for (const one of inPart) text.overwrite(one.node.start, one.node.end, one.hole);
    else replaceExpression(text, node, templateOf(inPart));
  }
}

function holeOf({ literal }: SqlConstant, name: string): string {
  return sqlHole(literal, `args.${name}`).text;
}

function templateOf(holes: readonly { sql: SqlConstant; hole: string }[]): string {
  const whole = holes[0]?.sql.part.text ?? '';
  let written = '';
  let at = 0;
  for (const { sql, hole } of holes.toSorted((a, b) => a.sql.literal.start - b.sql.literal.start)) {
    written += templateText(whole.slice(at, sql.literal.start)) + hole;
    at = sql.literal.end;
  }
  return `\`${written}${templateText(whole.slice(at))}\``;
}

/**
 * Splits the texts that hold SQL at their constants, so that each is a text of its own: a value elsewhere that equals a
 * constant does not stand within another text then.
 */
export function splitAtConstants(
  texts: readonly ProgramText[],
  constants: readonly Occurrence[],
): ProgramText[] {
  const byPart = Map.groupBy(constants, ({ sql }) => sql?.part.node);
  return texts.flatMap((text) => {
    const { node } = text;
    const within = byPart.get(node.type === 'TemplateLiteral' ? node.quasis[0] : node);
    return within ? piecesOf(text, within) : [text];
  });
}

function piecesOf(whole: ProgramText, constants: readonly Occurrence[]): ProgramText[] {
  const pieces: ProgramText[] = [];
  let at = 0;
  const add = (piece: Pick<ProgramText, 'node' | 'text'>) =>
    pieces.push({ ...piece, ends: { start: false, end: false }, isEditable: false });
  for (const { node, value, sql } of constants) {
    if (!sql) continue;
    const { start, end } = sql.literal;
    add({ node: whole.node, text: whole.text.slice(at, start) });
    add({ node, text: String(value) });
    at = end;
  }
  add({ node: whole.node, text: whole.text.slice(at) });
  const [first, last] = [pieces[0], pieces.at(-1)];
  if (first) pieces[0] = { ...first, ends: { ...first.ends, start: whole.ends.start } };
  if (last) pieces[pieces.length - 1] = { ...last, ends: { ...last.ends, end: whole.ends.end } };
  return pieces;
}
