import { drawBelow, drawFrom, hashText, mixHash } from './hash.ts';

const PIECES = /[A-Za-z]+|\d+|[^A-Za-z\d]+/g;
const HEX = /^[\da-f]{7,64}$/;
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const HEX_DIGITS = '0123456789abcdef';
/** Words that say what a text is, not which one. */
const KEPT = new Set(['http', 'https', 'www', 'com', 'org', 'net', 'io', 'mailto', 'file', 'localhost']);
const EXTENSION = /^\.[A-Za-z\d]{1,5}$/;

/**
 * Another string of the same form: letters for letters, digits for digits, separators and extensions as they are. A word
 * always becomes the same other word in a world, so that values which referred to each other still do.
 */
export function renameText(text: string, seed: number): string {
  if (HEX.test(text) && /\d/.test(text)) return renameHex(text, hashText(text, seed));
  const { stem, extension } = splitExtension(text);
  const pieces = stem.match(PIECES) ?? [];
  return pieces.map((piece) => renamePiece(piece, hashText(piece, seed))).join('') + extension;
}

function splitExtension(text: string): { stem: string; extension: string } {
  const dot = text.lastIndexOf('.');
  const extension = dot > 0 ? text.slice(dot) : '';
  return EXTENSION.test(extension) && !/^\.\d+$/.test(extension)
    ? { stem: text.slice(0, dot), extension }
    : { stem: text, extension: '' };
}

function renamePiece(piece: string, key: number): string {
  const first = piece.charCodeAt(0);
  if (first >= 48 && first <= 57) return renameDigits(piece, key);
  const isWord = (first >= 65 && first <= 90) || (first >= 97 && first <= 122);
  return isWord && !KEPT.has(piece.toLowerCase()) ? renameWord(piece, key) : piece;
}

/** Keeps the first digit from becoming 0, which would change a number's length. */
function renameDigits(digits: string, key: number): string {
  let text = '';
  for (let i = 0; i < digits.length; i++) {
    const isLeading = i === 0 && digits.length > 1 && digits[0] !== '0';
    text += isLeading ? 1 + drawBelow(key, i, 9) : drawBelow(key, i, 10);
  }
  return text;
}

function renameWord(word: string, key: number): string {
  let text = '';
  for (let i = 0; i < word.length; i++) {
    const letter = LETTERS.charAt(drawBelow(key, i, LETTERS.length));
    const code = word.charCodeAt(i);
    text += code >= 65 && code <= 90 ? letter.toUpperCase() : letter;
  }
  // Another length now and then: code may count on it.
  return drawBelow(key, 99, 4) === 0 ? text + drawFrom([...LETTERS], key, 98) : text;
}

function renameHex(text: string, key: number): string {
  let renamed = '';
  for (let i = 0; i < text.length; i++) renamed += HEX_DIGITS.charAt(drawBelow(mixHash(key, i), 1, 16));
  return renamed;
}
