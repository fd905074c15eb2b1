const MAX_WORD = 100;
const CLEANED = /[\0\uFFFD\p{Cc}\p{Cf}\p{Co}\p{Cs}]/gu;
const ACCENTS = /\p{Mn}+/gu;
/** A run of letters and digits, or one character that stands alone. */
const PIECE = /[\p{Script=Han}]|[\p{P}\p{S}]|[^\s\p{P}\p{S}\p{Script=Han}]+/gu;

/** Splits text into the WordPiece tokens of uncased BERT models. */
export class WordPiece {
  readonly #vocabulary: ReadonlyMap<string, number>;
  readonly #unknown: number;
  readonly #start: number;
  readonly #end: number;

  constructor(vocabulary: ReadonlyMap<string, number>) {
    const special = (token: string) => {
      const number = vocabulary.get(token);
      if (number === undefined) throw new Error(`the vocabulary has no ${token}`);
      return number;
    };
    this.#vocabulary = vocabulary;
    this.#unknown = special('[UNK]');
    this.#start = special('[CLS]');
    this.#end = special('[SEP]');
  }

  /** Returns the token ids between [CLS] and [SEP], at most `limit` of them. */
  encode(text: string, limit: number): number[] {
    const tokens = [this.#start];
    const clean = text
      .replace(/\s/g, ' ')
      .replace(CLEANED, '')
      .toLowerCase()
      .normalize('NFD')
      .replace(ACCENTS, '');
    for (const [piece] of clean.matchAll(PIECE)) {
      if (tokens.length >= limit - 1) break;
      tokens.push(...this.#split(piece));
    }
    return [...tokens.slice(0, limit - 1), this.#end];
  }

  /** Splits a word into the longest parts that the vocabulary has. */
  #split(word: string): number[] {
    if (word.length > MAX_WORD) return [this.#unknown];
    const parts: number[] = [];
    for (let from = 0; from < word.length; ) {
      let to = word.length;
      let number: number | undefined;
      for (; to > from && number === undefined; to--)
        number = this.#vocabulary.get(from === 0 ? word.slice(0, to) : `##${word.slice(from, to)}`);
      if (number === undefined) return [this.#unknown];
      parts.push(number);
      from = to + 1;
    }
    return parts;
  }
}
