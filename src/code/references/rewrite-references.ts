import MagicString from 'magic-string';
import type { Identifier, Node, Program } from '../syntax/ast.ts';
import { type Code, programOf } from '../syntax/parse.ts';
import type { Span } from '../syntax/positions.ts';
import { replaceExpression } from '../syntax/replace-expression.ts';
import { scopesOf } from '../syntax/scope-analysis.ts';
import { type ReferenceNode, referenceNodesOf } from './find-references.ts';
import { pathOf } from './global-paths.ts';
import { splitVersion } from './resolve-references.ts';

/** New names by the name as the code spells it (`McpReference.name`, with or without its version). */
export type NewNames = Pick<ReadonlyMap<string, string>, 'get'>;

/**
 * Renames references: to FQDNs when code is saved, back to current names when it is shown. References that `names` does
 * not hold stay as written. A reference through a local name is written out where it is used, since destructuring
 * cannot name an FQDN; local names that become unused are removed.
 */
export function rewriteReferences(code: Code, names: NewNames): string {
  const program = programOf(code);
  const text = new MagicString(program.source);
  const rewritten: Span[] = [];
  for (const reference of referenceNodesOf(program)) {
    const name = reference.name === undefined ? undefined : newNameOf(reference.name, names);
    if (name === undefined || !isRewritable(program, reference)) continue;
    replaceExpression(text, reference.span, `${shorthandKey(program, reference)}${referenceText(name)}`);
    rewritten.push(reference.span);
  }
  removeUnused(program, text, rewritten);
  return text.toString();
}

function newNameOf(spelling: string, names: NewNames): string | undefined {
  const exact = names.get(spelling);
  if (exact !== undefined) return exact;
  const { name, version } = splitVersion(spelling);
  const base = version === undefined ? undefined : names.get(name);
  return base && `${base}@${version}`;
}

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;
const DOTTED = /^[A-Za-z_$][\w$]*:[A-Za-z_$][\w$]*$/;

/** Writes a reference to a name: `mcp.fs.read` if the name allows it, else `mcp["…"]`. */
export function referenceText(name: string): string {
  return DOTTED.test(name) ? `mcp.${name.replace(':', '.')}` : `mcp[${JSON.stringify(name)}]`;
}

const PAIR = /^([\w$-]+):([\w$-]+)$/;

/** Writes a reference as `mcp.<server>.<tool>`, with brackets around what is no identifier: `mcp["my-server"].read`. */
export function memberReference(name: string): string {
  const [, ...parts] = PAIR.exec(name) ?? [];
  if (parts.length === 0) return referenceText(name);
  return `mcp${parts.map((part) => (IDENTIFIER.test(part) ? `.${part}` : `[${JSON.stringify(part)}]`)).join('')}`;
}

/** False for a local name whose declaration is rewritten instead, and where `mcp` means something else. */
function isRewritable(program: Program, { node, path }: ReferenceNode): boolean {
  const scopes = scopesOf(program);
  if (path.aliases.length === 0) return true;
  const binding = scopes.bindingOf.get(node);
  const isWhole =
    binding?.origin?.keys.length === 0 &&
    pathOf(binding.origin.init, 'mcp', scopes)?.keys.length === path.keys.length;
  return !isWhole && !scopes.isShadowed(node, 'mcp');
}

/** Returns the key that a shorthand property needs: `{ read }` becomes `{ read: mcp["…"] }`. */
function shorthandKey(program: Program, { node }: ReferenceNode): string {
  const parent = scopesOf(program).parentOf.get(node);
  const isShorthand = parent?.type === 'Property' && parent.shorthand && node.type === 'Identifier';
  return isShorthand ? `${node.name}: ` : '';
}

/** Removes the local names whose every use was rewritten. Reading `mcp` has no effect, so nothing is lost. */
function removeUnused(program: Program, text: MagicString, rewritten: readonly Span[]): void {
  const scopes = scopesOf(program);
  const removed = new RemovedText(program.source.length, rewritten);
  const isRemoved = (span: Span): boolean => removed.covers(span);
  const isUnused = (identifier: Identifier): boolean => {
    const uses = scopes.bindingOf.get(identifier)?.identifiers.slice(1) ?? [];
    return uses.length > 0 && uses.every(isRemoved);
  };
  // Backwards: the only use of a name may be a later declaration that is removed too.
  for (const node of declarationsOf(program).sort((a, b) => b.start - a.start)) {
    const [declarator] = node.declarations;
    if (node.declarations.length !== 1 || !declarator?.init || isRemoved(declarator.init)) continue;
    if (!pathOf(declarator.init, 'mcp', scopes)) continue;
    const span = { start: declarator.id.start, end: patternEnd(declarator.id) };
    const kept = patternText(program.source, declarator.id, isUnused);
    if (kept === program.source.slice(span.start, span.end)) continue;
    // A `;` keeps the statements before and after it apart.
    if (kept === undefined) text.overwrite(node.start, node.end, ';');
    else text.overwrite(span.start, span.end, kept);
    removed.add(kept === undefined ? node : span);
  }
}

/** Spans of removed text, marked character by character: there may be thousands, and as many lookups. */
class RemovedText {
  readonly #owner: Uint32Array;
  #count = 0;

  constructor(length: number, spans: readonly Span[]) {
    this.#owner = new Uint32Array(length);
    for (const span of spans) this.add(span);
  }

  add({ start, end }: Span): void {
    this.#count += 1;
    this.#owner.fill(this.#count, start, end);
  }

  covers({ start, end }: Span): boolean {
    return this.#owner[start] !== 0 && this.#owner[start] === this.#owner[end - 1];
  }
}

type Declaration = Extract<Node, { type: 'VariableDeclaration' }>;

/** Finds the variable declarations that are statements of their own. */
function declarationsOf(program: Program): Declaration[] {
  const { parentOf } = scopesOf(program);
  const inside = [...parentOf].filter(([, parent]) => STATEMENT_LISTS.has(parent.type)).map(([node]) => node);
  return [...program.body, ...inside].filter(
    (node): node is Declaration => node.type === 'VariableDeclaration',
  );
}

const STATEMENT_LISTS = new Set<Node['type']>(['BlockStatement', 'SwitchCase', 'StaticBlock']);

/** Prints a pattern without its unused names; undefined if nothing is left. */
function patternText(
  source: string,
  pattern: Node,
  isUnused: (name: Identifier) => boolean,
): string | undefined {
  const written = source.slice(pattern.start, patternEnd(pattern));
  if (pattern.type === 'Identifier') return isUnused(pattern) ? undefined : written;
  // A rest element collects what is not named: with one name less it would collect more.
  if (pattern.type !== 'ObjectPattern' || pattern.properties.some(({ type }) => type !== 'Property'))
    return written;
  let isWhole = true;
  const kept: string[] = [];
  for (const property of pattern.properties) {
    const before = source.slice(property.start, property.end);
    const value = property.type === 'Property' ? patternText(source, property.value, isUnused) : undefined;
    const after = value && `${source.slice(property.start, property.value?.start)}${value}`;
    if (after !== undefined) kept.push(after);
    isWhole &&= after === before;
  }
  if (isWhole) return written;
  return kept.length > 0 ? `{ ${kept.join(', ')} }` : undefined;
}

function patternEnd(pattern: Node): number {
  const annotation = 'typeAnnotation' in pattern ? pattern.typeAnnotation : undefined;
  return annotation?.start ?? pattern.end;
}
