import type MagicString from 'magic-string';
import { findSecrets, hasIssuedSecret, isSecretKey } from '../../secrets/index.ts';
import { type Classification, classifyLiteral } from '../literals/classify-literal.ts';
import { isExpressionPosition, type KeyedNode, keyedNodesOf } from '../literals/keyed-nodes.ts';
import { type Node, type Program, stringValue } from '../syntax/ast.ts';
import { replaceExpression } from '../syntax/replace-expression.ts';
import { scopesOf } from '../syntax/scope-analysis.ts';
import type { ParameterNames } from './parameter-names.ts';

/** How a literal was classified, and under which key. */
export interface ClassifiedLiteral extends Classification {
  readonly key: string | undefined;
}

type TemplateNode = Extract<Node, { type: 'TemplateLiteral' }>;

/**
 * Turns every secret in the text into a required parameter, wherever it stands: code is stored, and a secret in a constant
 * or a comment would be stored with it. Returns why the code must not be stored, if a secret could not be taken out.
 */
export function extractSecrets(
  program: Program,
  text: MagicString,
  names: ParameterNames,
  classified: ReadonlyMap<Node, ClassifiedLiteral>,
): string | undefined {
  const extractor = new SecretExtractor(program, text, names, classified);
  const isExtracted = keyedNodesOf(program).map((keyed) => extractor.extract(keyed));
  return isExtracted.includes(false) ? 'It holds a secret that cannot be made a parameter' : undefined;
}

/** Empties comments that hold a secret. Must run first: an expression that is replaced later may hold a comment. */
export function blankSecretComments(program: Program, text: MagicString): void {
  for (const { value, type, start, end } of program.comments) {
    if (findSecrets(value).length > 0) text.overwrite(start, end, type === 'Line' ? '//' : '/**/');
  }
}

class SecretExtractor {
  readonly #text: MagicString;
  readonly #names: ParameterNames;
  readonly #classified: ReadonlyMap<Node, ClassifiedLiteral>;
  readonly #shadowsArgs: (node: Node) => boolean;

  constructor(
    program: Program,
    text: MagicString,
    names: ParameterNames,
    classified: ReadonlyMap<Node, ClassifiedLiteral>,
  ) {
    this.#text = text;
    this.#names = names;
    this.#classified = classified;
    this.#shadowsArgs = (node) => scopesOf(program).isShadowed(node, 'args');
  }

  /** Replaces a secret by a parameter. False if the node holds a secret and no expression may replace it. */
  extract({ node, parent, key: ownKey, isPart }: KeyedNode): boolean {
    const value = stringValue(node);
    if (value === undefined) {
      if (node.type === 'TemplateLiteral') return this.#extractFromTemplate(node, parent, ownKey);
      return !(node.type === 'Literal' && 'regex' in node && hasIssuedSecret(node.regex.pattern));
    }
    const { kind, rule, key } = this.#classified.get(node) ?? classifyAlone(value, ownKey);
    if (kind !== 'secret' || (isPart && rule === 'secret by key' && !isSubstantial(value))) return true;
    if (!isExpressionPosition(node, parent) || this.#shadowsArgs(node)) return false;
    const replacement =
      rule === 'secret by shape' ? this.#replaceParts(value, key, node) : this.#parameter(key, value, node);
    replaceExpression(this.#text, node, replacement);
    return true;
  }

  #parameter(key: string | undefined, value: string, node: Node): string {
    return `args.${this.#names.secret(key, value, node).name}`;
  }

  /** Keeps the text around a secret, as in a command; a text that is nothing but the secret becomes a parameter. */
  #replaceParts(value: string, key: string | undefined, node: Node): string {
    const found = findSecrets(value);
    const [first] = found;
    if (!first || first.end - first.start >= value.trim().length) return this.#parameter(key, value, node);
    let at = 0;
    let template = '';
    for (const { start, end } of found) {
      template += `${templateText(value.slice(at, start))}\${${this.#parameter(undefined, value.slice(start, end), node)}}`;
      at = end;
    }
    return `\`${template}${templateText(value.slice(at))}\``;
  }

  #extractFromTemplate(node: TemplateNode, parent: Node | undefined, key: string | undefined): boolean {
    const secretsOf = ({ value: { raw } }: TemplateNode['quasis'][number]) =>
      key !== undefined && isSubstantial(raw) && isSecretKey(key, raw.trim())
        ? [{ start: raw.length - raw.trimStart().length, end: raw.trimEnd().length }]
        : findSecrets(raw);
    const withSecrets = node.quasis.filter((quasi) => secretsOf(quasi).length > 0);
    if (withSecrets.length === 0) return true;
    if (parent?.type === 'TaggedTemplateExpression' || this.#shadowsArgs(node)) return false;
    return withSecrets.every((quasi) =>
      secretsOf(quasi).every(({ start, end }) => {
        const secret = quasi.value.raw.slice(start, end);
        // In `raw` a line end is one character; in the source it may be two.
        const at = this.#text.original.indexOf(secret, quasi.start);
        if (at === -1 || at >= quasi.end) return false;
        this.#text.overwrite(at, at + secret.length, `\${${this.#parameter(undefined, secret, node)}}`);
        return true;
      }),
    );
  }
}

function classifyAlone(value: string, key: string | undefined): ClassifiedLiteral {
  return { ...classifyLiteral({ value, key }), key };
}

/** Escapes text for use inside a template literal. */
function templateText(text: string): string {
  const escaped = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"');
  return escaped.replaceAll('`', '\\`').replaceAll('${', '\\${');
}

/** True for more than the scheme of a header, or the text between two parts. */
function isSubstantial(text: string): boolean {
  return /[A-Za-z0-9]{4}/.test(text.replace(/^\s*(?:Bearer|Basic|Token)\s/i, ''));
}
