import type { RunSecret } from '../../secrets/index.ts';

/** A shorter form of a secret may occur in code by chance. */
const MIN_FORM = 6;
/** A text with four letters or digits in a row may be a part of a secret; less is a separator. */
const SUBSTANTIAL = /[A-Za-z0-9]{4}/;

/** The texts of a program whose secrets were replaced. */
export interface ExtractedTexts {
  readonly source: string;
  /** The texts that became secret parameters. */
  readonly lifted: readonly string[];
  /** All literals of the program. */
  readonly literals: readonly string[];
}

/** Finds a secret that the code made itself and that no parameter replaces: built from parts, computed or decoded. */
export function findMadeSecret(
  secrets: readonly RunSecret[],
  { source, lifted, literals }: ExtractedTexts,
): RunSecret | undefined {
  const packed = source.replace(/\s+/g, '');
  // A password that the code generates at random is no secret of the code.
  const isRandom = /random/i.test(source);
  return secrets.find((secret) => {
    if (holdsForm(packed, secret.text)) return true;
    if (secret.origin === 'given' || isLifted(secret.text, lifted)) return false;
    return (secret.origin === 'made' && !isRandom) || isBuiltFrom(secret.text, literals);
  });
}

/** True if the code holds the secret in base64, as hexadecimal digits, reversed, escaped, or as a list of characters. */
function holdsForm(packed: string, secret: string): boolean {
  return formsOf(secret).some((form) => form.length >= MIN_FORM && form !== secret && packed.includes(form));
}

function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret, 'utf8');
  const units = Array.from(secret, (char) => char);
  return [
    bytes.toString('base64').replaceAll('=', ''),
    bytes.toString('base64url'),
    bytes.toString('hex'),
    units.toReversed().join(''),
    encodeURIComponent(secret.toWellFormed()),
    units.map((char) => char.charCodeAt(0)).join(','),
    units.map((char) => JSON.stringify(char)).join(','),
    units.map((char) => `'${char}'`).join(','),
  ];
}

/** True if the secret is made of lifted texts, with no more than separators between them. */
function isLifted(secret: string, lifted: readonly string[]): boolean {
  if (lifted.some((text) => text.includes(secret))) return true;
  let rest = secret;
  for (const text of lifted) if (text.length > 1) rest = rest.replaceAll(text, '\0');
  return rest !== secret && !SUBSTANTIAL.test(rest);
}

/** True if literals of the code make up at least half of the secret. */
function isBuiltFrom(secret: string, literals: readonly string[]): boolean {
  let rest = secret;
  const parts = literals.filter((text) => text.length > 1 && text.length <= secret.length);
  for (const text of parts.toSorted((a, b) => b.length - a.length)) rest = rest.replaceAll(text, '');
  return rest.length * 2 <= secret.length;
}

/** Says why a secret keeps code from being stored, and how to write it instead. */
export function describeMadeSecret({ from, key }: RunSecret): string {
  return `This code builds or computes the secret that arrived at ${from}, so no parameter can replace it: ${remedy(key)}`;
}

export function describeFixedSecret({ from, key }: RunSecret): string {
  return `The secret of ${from} also stands in a name, a key, a pattern or a type, where no parameter can replace it: ${remedy(key)}`;
}

function remedy(key: string): string {
  const name = /^[A-Za-z_$][\w$]*$/.test(key) ? key : 'secret';
  return `write args.${name} in its place, and pass the value in args`;
}
