import type MagicString from 'magic-string';
import type { Node } from '../syntax/ast.ts';
import { contains, type Span } from '../syntax/positions.ts';
import { replaceExpression, templateText } from '../syntax/replace-expression.ts';
import type { LiteralGroup } from './literal-groups.ts';
import { type ProgramText, quasiStart } from './program-texts.ts';
import {
  distinctionOf,
  isBoundBeside,
  isNamedBeside,
  isTrivial,
  matchesIn,
  type TextMatch,
} from './text-matches.ts';

/** A part of a text that is the value of a group. */
export interface FollowedPart {
  readonly text: ProgramText;
  readonly at: number;
  readonly length: number;
  readonly group: LiteralGroup;
  readonly fit: TextMatch['fit'];
}

export interface TextRules {
  /** Tells the texts that no value may be written into. */
  readonly isFixed: (text: ProgramText) => boolean;
  /** Tells the texts that a call gets as they are. */
  readonly isPassed: (text: ProgramText) => boolean;
}

/**
 * Finds the groups that become parameters, and the texts that follow them: if "web" becomes `args.project`, "web/items/" becomes
 * `` `${args.project}/items/` ``. Where it cannot be decided whether a text follows a value, the value stays a constant.
 */
export function decideGroups(
  groups: readonly LiteralGroup[],
  texts: readonly ProgramText[],
  { isFixed, isPassed }: TextRules,
): { lifted: LiteralGroup[]; parts: FollowedPart[] } {
  const lifted: LiteralGroup[] = [];
  const parts: FollowedPart[] = [];
  const taken = new Set<Node>();
  // Short values first: a text that holds one follows it, and is no value of its own then.
  const order = [...groups].sort(
    (a, b) => Number(b.isFollowed) - Number(a.isFollowed) || sizeOf(a) - sizeOf(b),
  );
  for (const group of order) {
    if (holdsTaken(group, taken)) continue;
    const found = partsOf(group, texts, isFixed);
    if (found === undefined) continue;
    if (group.isLabel && !found.some(({ text, fit }) => fit === 'joined' && isPassed(text))) continue;
    lifted.push(group);
    for (const part of found) {
      taken.add(part.text.node);
      parts.push(part);
    }
  }
  return { lifted: lifted.sort((a, b) => groups.indexOf(a) - groups.indexOf(b)), parts };
}

/** True if a text of the group, or of its list, follows another value: it is no value of its own then. */
function holdsTaken({ value, occurrences }: LiteralGroup, taken: ReadonlySet<Node>): boolean {
  if (!Array.isArray(value)) return occurrences.some(({ node }) => taken.has(node));
  return [...taken].some((one) => occurrences.some(({ node }) => contains(node, one)));
}

function sizeOf({ value }: LiteralGroup): number {
  return Array.isArray(value) ? Number.POSITIVE_INFINITY : String(value).length;
}

/** The texts that follow a group; undefined if that cannot be decided. */
function partsOf(
  group: LiteralGroup,
  texts: readonly ProgramText[],
  isFixed: (text: ProgramText) => boolean,
): FollowedPart[] | undefined {
  const values = Array.isArray(group.value) ? group.value : [group.value];
  const own = new Set(group.occurrences.map(({ node }) => node));
  const parts: FollowedPart[] = [];
  for (const value of values) {
    if (isTrivial(value) || (typeof value !== 'string' && typeof value !== 'number')) continue;
    for (const text of texts) {
      if (own.has(text.node) || isWithin(text.node, group)) continue;
      for (const match of matchesIn(text.text, String(value), text.ends)) {
        const follows = isFollowing(group, text, match, String(value));
        if (follows === 'no') continue;
        const isFree = text.isEditable && !isFixed(text) && group.isFollowed;
        if (follows === 'unknown' || !isFree) return undefined;
        parts.push({ text, at: match.at, length: String(value).length, group, fit: match.fit });
      }
    }
  }
  return parts;
}

function isWithin({ start, end }: Span, { occurrences }: LiteralGroup): boolean {
  return occurrences.some(({ node }) => node.start <= start && end <= node.end);
}

function isFollowing(
  group: LiteralGroup,
  { text }: ProgramText,
  match: TextMatch,
  value: string,
): 'yes' | 'no' | 'unknown' {
  // A whole text that equals the value, and is no part of the group, means something else.
  if (text === value) return 'no';
  const distinction = distinctionOf(group.value);
  if (match.fit === 'joined' || distinction === 'distinctive') return 'yes';
  if (group.isRequired && match.fit !== 'loose') return 'yes';
  if (distinction === 'plain' && match.fit === 'word') return 'yes';
  if (typeof group.value === 'number')
    return isNamedBeside(text, match, value, group.key) || (isBound(group) && isBoundBeside(text, match))
      ? 'yes'
      : 'unknown';
  return 'unknown';
}

/** True for a number that something is compared with. */
function isBound({ occurrences }: LiteralGroup): boolean {
  return occurrences.some(({ role }) => /^(?:min|max)_/.test(role.key ?? ''));
}

/** Writes the texts that follow values as templates. */
export function writeParts(
  text: MagicString,
  parts: readonly FollowedPart[],
  nameOf: (group: LiteralGroup) => string | undefined,
): void {
  for (const [, found] of Map.groupBy(parts, (part) => part.text)) {
    const chosen = withoutOverlaps(found).flatMap((part) => {
      const name = nameOf(part.group);
      return name === undefined ? [] : [{ ...part, name }];
    });
    const [first] = chosen;
    if (!first || !isAsWritten(first.text.node, text)) continue;
    if (first.text.node.type === 'TemplateElement') writeQuasi(text, first.text, chosen);
    else replaceExpression(text, first.text.node, templateOf(first.text.text, chosen));
  }
}

function templateOf(whole: string, parts: readonly (FollowedPart & { name: string })[]): string {
  let written = '';
  let at = 0;
  for (const { at: start, length, name } of parts) {
    written += `${templateText(whole.slice(at, start))}\${args.${name}}`;
    at = start + length;
  }
  return `\`${written}${templateText(whole.slice(at))}\``;
}

function writeQuasi(
  text: MagicString,
  quasi: ProgramText,
  parts: readonly (FollowedPart & { name: string })[],
): void {
  const start = quasiStart(text.original, quasi.node, quasi.text);
  if (start === undefined) return;
  for (const { at, length, name } of parts)
    text.overwrite(start + at, start + at + length, `\${args.${name}}`);
}

function withoutOverlaps(parts: readonly FollowedPart[]): FollowedPart[] {
  const chosen: FollowedPart[] = [];
  for (const part of parts.toSorted((a, b) => b.length - a.length || a.at - b.at)) {
    const overlaps = chosen.some(({ at, length }) => at < part.at + part.length && part.at < at + length);
    if (!overlaps) chosen.push(part);
  }
  return chosen.sort((a, b) => a.at - b.at);
}

/** False for text from which a secret was taken. */
function isAsWritten({ start, end }: Span, text: MagicString): boolean {
  return text.slice(start, end) === text.original.slice(start, end);
}
