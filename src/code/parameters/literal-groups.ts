import { canonicalJson } from '../../canonical-json.ts';
import type { Json } from '../../json.ts';
import { foldName } from '../references/suggest-names.ts';
import type { Node } from '../syntax/ast.ts';
import { contains } from '../syntax/positions.ts';
import { pluralOf } from './literal-roles.ts';
import type { Survey } from './literal-survey.ts';
import type { Occurrence } from './occurrence.ts';
import { distinctionOf, isTrivial } from './text-matches.ts';

/** Literals that one parameter replaces. */
export interface LiteralGroup {
  readonly value: Json;
  readonly occurrences: readonly Occurrence[];
  /** True if no literal of it has a name of its own or reaches a call: it is data only if nothing speaks against it. */
  readonly isWeak: boolean;
  /** True if texts that hold its value follow it. */
  readonly isFollowed: boolean;
  /** True for labels of a result alone: they are data only if a text that a call gets follows them. */
  readonly isLabel: boolean;
  readonly isRequired: boolean;
  readonly key: string | undefined;
}

/** Numbers that convert units, if they are factors. */
const FACTORS = new Set([
  12, 24, 60, 100, 365, 1000, 1024, 3600, 86400, 60_000, 3_600_000, 86_400_000, 1_000_000,
]);
/** Numbers that convert units wherever they stand. */
const UNITS = new Set([1000, 1024, 3600, 86400, 60_000, 3_600_000, 86_400_000, 1_000_000]);
/** Texts that code compares with what engines and file systems say. */
const STRUCTURAL = new Set(
  `string number object function boolean undefined symbol bigint fulfilled rejected file directory dir folder symlink
   array text json true false null asc desc ok utf8 utf-8 Error TypeError default`.split(/\s+/),
);

/** Decides which literals are data, and which of them mean one thing. */
export function groupLiterals({ scalars, lists }: Survey): LiteralGroup[] {
  const equalLists = [...Map.groupBy(lists, ({ value }) => canonicalJson(value)).values()];
  const kept = equalLists.filter((equal) => areListsOfData(equal, scalars));
  const isInList = (node: Node) =>
    kept.flat().some((list) => list.node !== node && contains(list.node, node));
  const outer = kept.filter((equal) => equal.every(({ node }) => !isInList(node)));
  const free = scalars.filter(({ node }) => !isInList(node));
  const byValue = Map.groupBy(free, ({ value }) => `${typeof value} ${value}`);
  return [
    ...outer.flatMap(groupOf),
    ...[...byValue.values()].flatMap((equal) => groupEqual(equal, lists)),
  ].sort((a, b) => startOf(a) - startOf(b));
}

function startOf({ occurrences }: LiteralGroup): number {
  return occurrences[0]?.node.start ?? 0;
}

/** True for equal lists of which one has a name or reaches a call, and whose items are data that stand nowhere else. */
function areListsOfData(lists: readonly Occurrence[], scalars: readonly Occurrence[]): boolean {
  const isNamed = lists.some(({ role, places }) => role.kind === 'named' || places.length > 0);
  const isFit = lists.every((one) => one.isReplaceable && one.classified.kind === 'data' && !one.role.isWork);
  if (!isNamed || !isFit) return false;
  const isWithin = ({ node }: Occurrence) => lists.some((list) => contains(list.node, node));
  const items = scalars.filter(isWithin);
  const values = new Set(items.map(({ value }) => value).filter((value) => !isTrivial(value)));
  const isData = items.every(({ classified, isReplaceable }) => classified.kind === 'data' && isReplaceable);
  return (
    isData &&
    !scalars.some((one) => values.has(one.value) && !isWithin(one) && !isFree(one) && !isApart(one, items))
  );
}

/** True for a value that the same call gets beside an equal one of other literals, as in `{ from: "EUR", to: "EUR" }`. */
function isApart({ places }: Occurrence, others: readonly Occurrence[]): boolean {
  const theirs = others.flatMap((other) => other.places);
  return places.some(({ callee, key }) => {
    const beside = theirs.filter((other) => other.callee.call === callee.call);
    return beside.length > 0 && beside.every((other) => other.key !== undefined && other.key !== key);
  });
}

/** True for a value that equals others by chance, as the 2 of `toFixed(2)`, or that the code only knows. */
function isFree({ value, role, places }: Occurrence): boolean {
  if (role.isKnown) return true;
  return typeof value === 'number' && role.kind === 'none' && places.length === 0;
}

/** Groups equal scalars. */
function groupEqual(all: readonly Occurrence[], lists: readonly Occurrence[]): LiteralGroup[] {
  const equal = all.filter(({ role }) => !role.isKnown);
  const value = equal[0]?.value;
  const strong = equal.filter(isStrong);
  const weak = equal.filter((one) => !strong.includes(one) && isWeak(one));
  if (strong.length + weak.length === 0) return groupLabels(equal);
  if (typeof value === 'boolean') return groupFlags(equal, strong);
  if (isTrivial(value)) return byKey(strong).flatMap(groupOf);
  // A list of what is allowed holds the value as well, and must not follow it.
  if (equal.length > 1 && equal.some(({ node }) => isListed(node, lists))) return [];
  const isWord = typeof value === 'string' && distinctionOf(value) === 'plain';
  if (isWord || distinctionOf(value) === 'distinctive') return groupOf(equal.filter(isMeant));
  return groupByRole(equal, strong, weak);
}

/** Flags go together by their key. One that is written into a test, as in `if (!true)`, belongs to the only other one, or to none. */
function groupFlags(equal: readonly Occurrence[], strong: readonly Occurrence[]): LiteralGroup[] {
  const groups = byKey(strong);
  const tests = equal.filter((one) => one.role.isWritten === true);
  const isUnclear = equal.some(
    ({ role }) => role.kind === 'used' && role.key === undefined && !role.isWritten,
  );
  if (isUnclear || (groups.length > 1 && tests.length > 0)) return [];
  return groups.flatMap((group) => {
    const key = keyOf(group[0] as Occurrence);
    const labels = equal.filter(
      (one) => one.role.kind === 'label' && keyOf(one) === key && !group.includes(one),
    );
    return groupOf([...group, ...tests.filter((one) => !group.includes(one)), ...(key === '' ? [] : labels)]);
  });
}

/** Labels of a result, as in `return { site: "web" }`: whether they are data is said by the texts that hold them. */
function groupLabels(equal: readonly Occurrence[]): LiteralGroup[] {
  const isWord = ({ value }: Occurrence) => typeof value === 'string' && distinctionOf(value) !== 'common';
  const labels = equal.filter((one) => one.role.kind === 'label' && isWord(one));
  return labels.length === equal.length
    ? groupOf(labels).map((group) => ({ ...group, isLabel: true, isFollowed: true }))
    : [];
}

/** True for an item of a list that stays as it is written. */
function isListed(node: Node, lists: readonly Occurrence[]): boolean {
  return lists.some((list) => isWrittenOut(list) && contains(list.node, node));
}

function isWrittenOut({ value }: Occurrence): boolean {
  return Array.isArray(value) && value.length > 1;
}

/** A value that may occur twice by chance: literals of one key go together, and others must not speak against it. */
function groupByRole(
  equal: readonly Occurrence[],
  strong: readonly Occurrence[],
  weak: readonly Occurrence[],
): LiteralGroup[] {
  const isWritten = ({ role }: Occurrence) => role.isWritten === true;
  if (equal.every(isWritten)) return groupOf(equal);
  const groups = byKey((strong.length > 0 ? strong : weak).filter((one) => !isWritten(one) || isStrong(one)));
  const keys = new Set(groups.map(([first]) => first && keyOf(first)));
  const leading = new Set(groups.flat());
  const others = equal.filter((one) => !leading.has(one));
  const isJoined = (one: Occurrence) => keyOf(one) !== '' && (groups.length === 1 || !isNameless(one));
  const joined = others.filter((one) => keys.has(keyOf(one)) && isJoined(one));
  const rest = others.filter((one) => !joined.includes(one) && !isFree(one));
  const [only = []] = groups;
  if (rest.length > 0) {
    // A guard beside a payload must follow it; elsewhere nobody can tell whether both mean one thing.
    const isPayload = only.some(({ isDemanded }) => isDemanded) || distinctionOf(equal[0]?.value) === 'plain';
    const isOne = groups.length === 1 && (isPayload || rest.every(isWritten));
    return isOne ? groupOf([...only, ...joined, ...rest]) : [];
  }
  const hasNameless = groups.some((group) => group.some(isNameless));
  if (strong.length === 0 && hasNameless && groups.length > 1) return [];
  return groups.flatMap((group) => {
    const same = joined.filter((one) => keyOf(one) === keyOf(group[0] as Occurrence));
    return groupOf([...group, ...same]);
  });
}

/** True for a literal that the code has no word for. */
function isNameless({ role, places }: Occurrence): boolean {
  return places.length === 0 && (role.key === undefined || role.key === 'limit' || role.key === 'rounds');
}

function byKey(occurrences: readonly Occurrence[]): Occurrence[][] {
  return [...Map.groupBy(occurrences, (one) => keyOf(one) || `at ${one.node.start}`).values()];
}

/** The word for a literal: that of the call that gets it, else that of the code. */
function keyOf({ places, role }: Occurrence): string {
  const key = places[0]?.key ?? role.key ?? '';
  return foldName(key.replace(/^(?:min|max)_/, ''));
}

function isStrong({ value, role, places }: Occurrence): boolean {
  if (places.length > 0) return true;
  if (role.kind !== 'named') return false;
  if (typeof value === 'number') return !UNITS.has(value);
  return typeof value !== 'string' || /[\p{L}\p{N}]/u.test(value);
}

function isWeak({ value, role }: Occurrence): boolean {
  if (role.kind !== 'used' || isTrivial(value)) return false;
  if (typeof value === 'number') return !(role.isTerm ? FACTORS : UNITS).has(value);
  return (
    typeof value === 'string' && value.length > 1 && /[\p{L}\p{N}]/u.test(value) && !STRUCTURAL.has(value)
  );
}

/** False for a value that stands beside its like for another reason, such as a number of milliseconds. */
function isMeant({ value, role, places }: Occurrence): boolean {
  return !(typeof value === 'number' && role.isTerm && FACTORS.has(value) && places.length === 0);
}

/** Makes a group, unless one of its literals is a program, a secret, or stands where no expression may. */
function groupOf(occurrences: readonly Occurrence[]): LiteralGroup[] {
  const [first] = occurrences;
  if (
    !first ||
    occurrences.some(({ isReplaceable, classified }) => !isReplaceable || classified.kind !== 'data')
  )
    return [];
  const strong = occurrences.filter(isStrong);
  const group = {
    value: first.value,
    occurrences,
    isLabel: false,
    isWeak: strong.length === 0 && !Array.isArray(first.value),
    isFollowed: !Array.isArray(first.value) && isFollowedByTexts(occurrences, strong),
    isRequired: occurrences.some(({ isDemanded }) => isDemanded),
    key: wordFor(occurrences),
  };
  return [group];
}

/** A text does not follow what it is tested for. */
function isFollowedByTexts(occurrences: readonly Occurrence[], strong: readonly Occurrence[]): boolean {
  if (occurrences.some(({ role }) => role.isTest)) return false;
  return strong.length > 0 || occurrences.every(({ value }) => distinctionOf(value) === 'distinctive');
}

const VAGUE =
  /^(?:[a-z]\d?|[A-Z]|params?|args?|opts?|options|data|input|val|value|str|string|text|obj|tmp|item|x\d*|v\d*|arr|list|s|q|id)$/;

/** Names that say nothing at all. */
const NAMELESS = /^(?:[A-Z]\d*|params?|args?|opts?|obj|tmp|val|arr)$/;

/** The best word for a group: one that the code gives it, unless that says less than the tool's own. */
export function wordFor(occurrences: readonly Occurrence[]): string | undefined {
  const own = occurrences.flatMap(({ role }) =>
    role.kind === 'named' && role.key !== undefined ? [role.key] : [],
  );
  const passed = occurrences.flatMap(({ places }) => places.flatMap(({ key }) => key));
  const told = own.find((word) => !VAGUE.test(word));
  const used = occurrences.flatMap(({ role }) => [role.alias, role.kind === 'named' ? undefined : role.key]);
  const plain = [...used, ...own.filter((word) => !NAMELESS.test(word))].find((word) => word !== undefined);
  return told ?? passedAs(occurrences, passed[0]) ?? plain ?? wordForValue(occurrences[0]);
}

/** Says what a value is, where nothing says what it is for. */
function wordForValue({ value, role }: Partial<Occurrence> = {}): string {
  if (typeof value === 'number') return role?.isTerm ? 'factor' : 'number';
  if (typeof value === 'boolean') return 'flag';
  if (Array.isArray(value)) return 'items';
  const [, word = 'text'] = KINDS_OF_TEXT.find(([shape]) => shape.test(String(value))) ?? [];
  return word;
}

const KINDS_OF_TEXT: readonly [RegExp, string][] = [
  [/^\d{4}-\d\d-\d\d/, 'date'],
  [/^https?:\/\//, 'url'],
  [/^[^\s@/]+@[^\s@/]+\.\w+$/, 'email'],
  [/^[^\s/]*\/\S*$/, 'path'],
];

/** A list of which each item is a `city` is `cities`. */
function passedAs([first]: readonly Occurrence[], key: string | undefined): string | undefined {
  const isItems = Array.isArray(first?.value) && first.places.every(({ value }) => value !== first.node);
  return key !== undefined && isItems && !key.endsWith('s') ? pluralOf(key) : key;
}
