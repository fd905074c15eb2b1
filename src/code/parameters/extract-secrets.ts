import type MagicString from 'magic-string';
import {
  findSecrets,
  hasIssuedSecret,
  isSecretKey,
  type KnownRunSecrets,
  type RunSecret,
  SecretMatcher,
} from '../../secrets/index.ts';
import { type Classification, classifyLiteral } from '../literals/classify-literal.ts';
import { isExpressionPosition, type KeyedNode, keyedNodesOf } from '../literals/keyed-nodes.ts';
import { type Node, type Program, stringValue } from '../syntax/ast.ts';
import { replaceExpression, templateText } from '../syntax/replace-expression.ts';
import { scopesOf } from '../syntax/scope-analysis.ts';
import type { ParameterNames } from './parameter-names.ts';
import { describeFixedSecret, describeMadeSecret, findMadeSecret } from './secret-origins.ts';

/** How a literal was classified, and under which key. */
export interface ClassifiedLiteral extends Classification {
  readonly key: string | undefined;
}

type TemplateNode = Extract<Node, { type: 'TemplateLiteral' }>;

/** The secrets that really passed through the run of the code. */
export interface SecretsOfRun extends KnownRunSecrets {
  readonly matcher: SecretMatcher;
}

export const NO_RUN: SecretsOfRun = { secrets: [], isFull: false, matcher: new SecretMatcher([]) };

export interface ExtractedSecrets {
  /** Why the code must not be stored, if a secret could not be taken out. */
  readonly unsafe: string | undefined;
  /** The texts that became parameters. */
  readonly lifted: readonly string[];
  /** The value of each parameter, for a replay of the run alone: it must never be stored. */
  readonly values: Readonly<Record<string, string | number>>;
}

/**
 * Turns every secret in the text into a required parameter, wherever it stands: code is stored, and a secret in a constant
 * or a comment would be stored with it.
 */
export function extractSecrets(
  program: Program,
  text: MagicString,
  names: ParameterNames,
  classified: ReadonlyMap<Node, ClassifiedLiteral>,
  ofRun: SecretsOfRun,
): ExtractedSecrets {
  const extractor = new SecretExtractor(program, text, names, classified, ofRun.matcher);
  const unsafe = extractAll(program, extractor, ofRun);
  return { unsafe, lifted: extractor.lifted, values: extractor.values };
}

function extractAll(program: Program, extractor: SecretExtractor, ofRun: SecretsOfRun): string | undefined {
  if (ofRun.isFull) return 'The run passed more secrets than can be searched for: run it on fewer at a time';
  const isExtracted = keyedNodesOf(program).map((keyed) => extractor.extract(keyed));
  if (extractor.fixed) return describeFixedSecret(extractor.fixed);
  if (isExtracted.includes(false))
    return 'It holds a secret that cannot become a parameter: read it from args instead';
  const { lifted, literals } = extractor;
  const made = findMadeSecret(ofRun.secrets, { source: program.source, lifted, literals });
  return made && describeMadeSecret(made);
}

/** Empties comments that hold a secret. Must run first: an expression that is replaced later may hold a comment. */
export function blankSecretComments(program: Program, text: MagicString, { matcher }: SecretsOfRun): void {
  for (const { value, type, start, end } of program.comments) {
    if (findSecrets(value).length > 0 || matcher.isMentionedIn(value))
      text.overwrite(start, end, type === 'Line' ? '//' : '/**/');
  }
}

class SecretExtractor {
  /** The texts that became secret parameters. */
  readonly lifted: string[] = [];
  readonly values: Record<string, string | number> = {};
  /** All literals of the program. */
  readonly literals: string[] = [];
  /** A secret of the run that stands where no expression may stand. */
  fixed: RunSecret | undefined;
  readonly #text: MagicString;
  readonly #names: ParameterNames;
  readonly #classified: ReadonlyMap<Node, ClassifiedLiteral>;
  readonly #shadowsArgs: (node: Node) => boolean;
  readonly #matcher: SecretMatcher;

  constructor(
    program: Program,
    text: MagicString,
    names: ParameterNames,
    classified: ReadonlyMap<Node, ClassifiedLiteral>,
    matcher: SecretMatcher,
  ) {
    this.#text = text;
    this.#names = names;
    this.#classified = classified;
    this.#matcher = matcher;
    this.#shadowsArgs = (node) => scopesOf(program).isShadowed(node, 'args');
  }

  /** Replaces a secret by a parameter. False if the node holds a secret and no expression may replace it. */
  extract(keyed: KeyedNode): boolean {
    const { node, parent, key } = keyed;
    const value = literalValue(node);
    if (value !== undefined) return this.#extractLiteral(keyed, value);
    if (node.type === 'TemplateLiteral') return this.#extractFromTemplate(node, parent, key);
    if (node.type === 'Identifier' || node.type === 'PrivateIdentifier') return !this.#isFixed(node.name);
    if (node.type !== 'Literal' || !('regex' in node)) return true;
    return !hasIssuedSecret(node.regex.pattern) && !this.#isFixed(node.regex.pattern);
  }

  #extractLiteral(
    { node, parent, key: ownKey, isPart }: KeyedNode,
    value: string | number | bigint,
  ): boolean {
    const text = String(value);
    this.literals.push(text);
    const ofRun = this.#matcher.in(text);
    const { kind, rule, key } = this.#classified.get(node) ?? classifyAlone(value, ownKey);
    const isSecret = kind === 'secret' && !(isPart && rule === 'secret by key' && !isSubstantial(text));
    if (!isSecret && !ofRun) return true;
    // A key may be the word that is also the secret: `{ "password": "password" }`.
    if (!isExpressionPosition(node, parent)) return !this.#isFixed(text) && !isSecret;
    if (this.#shadowsArgs(node)) {
      this.fixed ??= ofRun;
      return false;
    }
    const isWhole =
      this.#matcher.whole(text) !== undefined || (isSecret && rule !== SHAPE && rule !== OF_RUN);
    const named = isSecret && rule !== OF_RUN && rule !== SHAPE ? key : (ofRun?.key ?? key);
    const replacement = isWhole
      ? this.#parameter(named, value, node, key)
      : this.#replaceParts(text, named, node);
    replaceExpression(this.#text, node, replacement);
    return true;
  }

  #isFixed(text: string): boolean {
    const [found] = this.#matcher.spansIn(text);
    this.fixed ??= found?.secret;
    return found !== undefined;
  }

  #parameter(key: string | undefined, value: string | number | bigint, node: Node, word = key): string {
    this.lifted.push(String(value));
    const { name } = this.#names.secret(key, String(value), node, word);
    // Arguments are JSON, which has no such number.
    if (typeof value !== 'bigint') this.values[name] ??= value;
    return `args.${name}`;
  }

  /** Keeps the text around a secret, as in a command; a text that is nothing but the secret becomes a parameter. */
  #replaceParts(value: string, key: string | undefined, node: Node): string {
    const found = this.#spansIn(value);
    const [first] = found;
    if (!first || first.end - first.start >= value.trim().length) return this.#parameter(key, value, node);
    let at = 0;
    let template = '';
    for (const { start, end, key: own } of found) {
      template += `${templateText(value.slice(at, start))}\${${this.#parameter(own, value.slice(start, end), node)}}`;
      at = end;
    }
    return `\`${template}${templateText(value.slice(at))}\``;
  }

  /** Finds the secrets of the run, and what has the shape of a secret besides them. */
  #spansIn(text: string): { start: number; end: number; key: string | undefined }[] {
    const known = this.#matcher.spansIn(text);
    const isFree = (span: { start: number; end: number }) =>
      !known.some(({ start, end }) => span.start < end && start < span.end);
    return [
      ...known.map(({ start, end, secret }) => ({ start, end, key: secret.key })),
      ...findSecrets(text)
        .filter(isFree)
        .map((span) => ({ ...span, key: undefined })),
    ].sort((a, b) => a.start - b.start);
  }

  #extractFromTemplate(node: TemplateNode, parent: Node | undefined, key: string | undefined): boolean {
    const secretsOf = ({ value: { raw } }: TemplateNode['quasis'][number]) =>
      key !== undefined && isSubstantial(raw) && isSecretKey(key, raw.trim())
        ? [{ start: raw.length - raw.trimStart().length, end: raw.trimEnd().length, key: undefined }]
        : this.#spansIn(raw);
    for (const { value } of node.quasis) if (value.raw !== '') this.literals.push(value.cooked ?? value.raw);
    // An escape hides a secret of the run from the search in the source.
    if (node.quasis.some(({ value }) => value.cooked !== value.raw && !this.#spellsOut(value))) return false;
    const withSecrets = node.quasis.filter((quasi) => secretsOf(quasi).length > 0);
    if (withSecrets.length === 0) return true;
    if (parent?.type === 'TaggedTemplateExpression' || this.#shadowsArgs(node)) {
      for (const { value } of withSecrets) this.#isFixed(value.raw);
      return false;
    }
    return withSecrets.every((quasi) =>
      secretsOf(quasi).every(({ start, end, key: own }) => {
        const secret = quasi.value.raw.slice(start, end);
        // In `raw` a line end is one character; in the source it may be two.
        const at = this.#text.original.indexOf(secret, quasi.start);
        if (at === -1 || at >= quasi.end) return false;
        this.#text.overwrite(at, at + secret.length, `\${${this.#parameter(own, secret, node)}}`);
        return true;
      }),
    );
  }

  #spellsOut({ cooked, raw }: { cooked: string | null; raw: string }): boolean {
    return this.#matcher.spansIn(cooked ?? '').length <= this.#matcher.spansIn(raw).length;
  }
}

/** The rules under which the secret may be only a part of the literal. */
const SHAPE = 'secret by shape';
export const OF_RUN = 'secret of the run';

function classifyAlone(value: string | number | bigint, key: string | undefined): ClassifiedLiteral {
  return { ...classifyLiteral({ value: typeof value === 'bigint' ? String(value) : value, key }), key };
}

/** Returns the value of a text or number literal. */
function literalValue(node: Node): string | number | bigint | undefined {
  const text = stringValue(node);
  if (text !== undefined || node.type !== 'Literal') return text;
  return typeof node.value === 'number' || typeof node.value === 'bigint' ? node.value : undefined;
}

/** True for a text that is more than the scheme of a header (`Bearer `) or a separator. */
function isSubstantial(text: string): boolean {
  return /[A-Za-z0-9]{4}/.test(text.replace(/^\s*(?:Bearer|Basic|Token)\s/i, ''));
}
