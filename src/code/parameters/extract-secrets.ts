import type MagicString from 'magic-string';
import { findSecrets, hasIssuedSecret, isSecretKey } from '../../secrets/index.ts';
import { type Judgement, judge } from '../literals/classify-literal.ts';
import { isExpression, type Place, placesOf } from '../literals/keyed-nodes.ts';
import { type Node, type Program, stringValue } from '../syntax/ast.ts';
import { overwrite } from '../syntax/replace-expression.ts';
import { scopesOf } from '../syntax/scope.ts';
import type { ParameterNames } from './parameter-names.ts';

/** What a literal is, and the key under which it was judged. */
export interface Judged extends Judgement {
  readonly key: string | undefined;
}

type TemplateNode = Extract<Node, { type: 'TemplateLiteral' }>;

/**
 * Makes every secret in the text a required parameter, wherever it stands: code is stored, so a secret in a constant
 * or a comment would be too. Returns why the code must not be stored, if one could not be taken out.
 */
export function hideSecrets(
  program: Program,
  text: MagicString,
  names: ParameterNames,
  decided: ReadonlyMap<Node, Judged>,
): string | undefined {
  const hiding = new Hiding(program, text, names, decided);
  const isHidden = placesOf(program).map((place) => hiding.hide(place));
  return isHidden.includes(false) ? 'It holds a secret that cannot be made a parameter' : undefined;
}

/** Empties comments that hold a secret. To be done first: what is rewritten later may have a comment inside. */
export function hideInComments(program: Program, text: MagicString): void {
  for (const { value, type, start, end } of program.comments) {
    if (findSecrets(value).length > 0) text.overwrite(start, end, type === 'Line' ? '//' : '/**/');
  }
}

class Hiding {
  readonly #text: MagicString;
  readonly #names: ParameterNames;
  readonly #decided: ReadonlyMap<Node, Judged>;
  readonly #isOutOfReach: (node: Node) => boolean;

  constructor(
    program: Program,
    text: MagicString,
    names: ParameterNames,
    decided: ReadonlyMap<Node, Judged>,
  ) {
    this.#text = text;
    this.#names = names;
    this.#decided = decided;
    this.#isOutOfReach = (node) => scopesOf(program).isShadowed(node, 'args');
  }

  /** False if the node holds a secret and no expression may stand in its place. */
  hide({ node, parent, key: place, isPart }: Place): boolean {
    const value = stringValue(node);
    if (value === undefined) {
      if (node.type === 'TemplateLiteral') return this.#inTemplate(node, parent, place);
      return !(node.type === 'Literal' && 'regex' in node && hasIssuedSecret(node.regex.pattern));
    }
    const { verdict, rule, key } = this.#decided.get(node) ?? judgeAlone(value, place);
    if (verdict !== 'secret' || (isPart && rule === 'secret by key' && !isSubstance(value))) return true;
    if (!isExpression(node, parent) || this.#isOutOfReach(node)) return false;
    const replacement = rule === 'secret by shape' ? this.#part(value, key) : this.#name(key, value);
    overwrite(this.#text, node, replacement);
    return true;
  }

  #name(key: string | undefined, value: string): string {
    return `args.${this.#names.give(key ?? 'secret', value, true).name}`;
  }

  /** A text around a secret, as in a command, stays; a text that is nothing else goes. */
  #part(value: string, key: string | undefined): string {
    const found = findSecrets(value);
    const [first] = found;
    if (!first || first.end - first.start >= value.trim().length) return this.#name(key, value);
    let at = 0;
    let template = '';
    for (const { start, end } of found) {
      template += `${quoted(value.slice(at, start))}\${${this.#name(undefined, value.slice(start, end))}}`;
      at = end;
    }
    return `\`${template}${quoted(value.slice(at))}\``;
  }

  #inTemplate(node: TemplateNode, parent: Node | undefined, key: string | undefined): boolean {
    const secretsOf = ({ value: { raw } }: TemplateNode['quasis'][number]) =>
      key !== undefined && isSubstance(raw) && isSecretKey(key, raw.trim())
        ? [{ start: raw.length - raw.trimStart().length, end: raw.trimEnd().length }]
        : findSecrets(raw);
    const holders = node.quasis.filter((quasi) => secretsOf(quasi).length > 0);
    if (holders.length === 0) return true;
    if (parent?.type === 'TaggedTemplateExpression' || this.#isOutOfReach(node)) return false;
    return holders.every((quasi) =>
      secretsOf(quasi).every(({ start, end }) => {
        const secret = quasi.value.raw.slice(start, end);
        // `raw` counts a line end as one character, the text may have two.
        const at = this.#text.original.indexOf(secret, quasi.start);
        if (at === -1 || at >= quasi.end) return false;
        this.#text.overwrite(at, at + secret.length, `\${${this.#name(undefined, secret)}}`);
        return true;
      }),
    );
  }
}

function judgeAlone(value: string, key: string | undefined): Judged {
  return { ...judge({ value, key }), key };
}

/** Text as it must be written inside a template. */
function quoted(text: string): string {
  const escaped = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"');
  return escaped.replaceAll('`', '\\`').replaceAll('${', '\\${');
}

/** More than the scheme of a header, or the text between two parts. */
function isSubstance(text: string): boolean {
  return /[A-Za-z0-9]{4}/.test(text.replace(/^\s*(?:Bearer|Basic|Token)\s/i, ''));
}
