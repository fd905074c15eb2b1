import { TokenReader } from './token-reader.ts';

interface Level {
  /** Operators, prefix words and statement heads that may still be waiting for their operand. */
  open: number;
  /** Of these, the `<` and the statement heads: they run on over a comma, everything else ends there. */
  sticky: number;
  readonly closer: string;
  readonly isObject: boolean;
  readonly inTemplate: boolean;
  /** `(` after `if`, `for`, `while` or `with`: what follows its `)` is a statement. */
  readonly ofHead: boolean;
}

/** What stood before: it says whether a slash divides and whether a line break ends a statement. */
type Last = 'operand' | 'operator' | 'dot' | 'semicolon' | 'blockEnd' | 'headEnd' | 'angleEnd' | 'contextual';

// A `<` makes the parser try type arguments and go back, so it weighs more than its depth.
const ANGLE_WEIGHT = 3;
const CLOSER: Record<string, string> = { '(': ')', '[': ']', '{': '}' };
const HEADS = new Set(['if', 'for', 'while', 'with']);
const STATEMENT = words('if else for while do with try');
const CONTINUES = words('else while catch finally in of instanceof as satisfies is extends implements from');
const RESERVED =
  words(`await break case catch class const continue default delete do else enum export extends finally
  for function if import in instanceof new return switch throw try typeof var void while with yield`);
// Words that may be names as well: whether a slash after one divides cannot be told.
const CONTEXTUAL =
  words(`async let keyof unique readonly infer asserts abstract declare static get set as satisfies is
  of implements type interface namespace accessor`);
const WORD = /[\p{ID_Continue}$\\#\u200c\u200d]+/uy;
const GAP = /\s+|\/\/[^\n\r\u2028\u2029]*/y;
const LINE_BREAK = /[\n\r\u2028\u2029]/;
// Strings and regular expressions without their last character, so that it is known how far they reach.
const STRING = /"(?:[^"\\\n\r]|\\(?:\r\n|[\s\S]))*|'(?:[^'\\\n\r]|\\(?:\r\n|[\s\S]))*/y;
const REGEX = /\/(?:[^\\/[\n\r]|\\[^\n\r]|\[(?:[^\]\\\n\r]|\\[^\n\r])*\])+/y;
const COLON = /\s*:/y;
const PLAIN_VALUE = /^(?:true|false|null|0(?:e[\de]*)?|[1-9][\de]*)$/;

function words(list: string): Set<string> {
  return new Set(list.split(/\s+/));
}

/**
 * Reads a text token by token and tells how deep the parser may have to recurse. The parser is native code: a stack that
 * overflows there ends the whole process, and some deeply nested inputs cost it quadratic time. The bound must never be
 * too low; it may be too high, since a program that people write stays far below the limit.
 *
 * One counter a bracket level holds everything that can be open there at once. The end of a statement empties it.
 */
export class NestingGauge extends TokenReader {
  /** All that may be open now. */
  open = 0;
  /** Tokens that an error may be about and after which the parser goes on. */
  faulty = 0;
  levels: Level[] = [{ open: 0, sticky: 0, closer: '', isObject: false, inTemplate: false, ofHead: false }];
  last: Last = 'operator';
  head = '';
  newline = false;
  /** Where the last token ended. */
  lastEnd = 0;

  step(): void {
    const gap = this.blind ? undefined : (this.match(GAP) ?? this.comment());
    if (gap !== undefined) {
      this.newline ||= LINE_BREAK.test(gap);
      return;
    }
    const word = this.match(WORD);
    if (word !== undefined) this.word(word);
    else this.punctuation(this.source[this.at] as string);
    this.newline = false;
    this.lastEnd = this.at;
  }

  word(word: string): void {
    const isKey = this.level().isObject && word !== '__proto__' && this.peeks(COLON);
    if (!isKey && !PLAIN_VALUE.test(word)) this.faulty += 1;
    const ended =
      this.last === 'blockEnd' || this.last === 'semicolon' || (this.newline && this.last === 'operand');
    if (ended && !CONTINUES.has(word)) this.keep(0);
    const isReserved = this.last !== 'dot' && RESERVED.has(word);
    const isContextual = this.last !== 'dot' && CONTEXTUAL.has(word);
    if (isReserved && STATEMENT.has(word)) this.addSticky(1);
    else if (isReserved || isContextual) this.add(1);
    this.last = isReserved ? 'operator' : isContextual ? 'contextual' : 'operand';
    // `for await (` is a head as well.
    if (!(word === 'await' && this.head === 'for')) this.head = isReserved ? word : '';
  }

  punctuation(char: string): void {
    if (this.last === 'semicolon') this.keep(0);
    if (!this.blind && (char === '/' ? this.slash() : this.quoted(char))) return;
    this.at += 1;
    if (char in CLOSER) this.openBracket(char);
    else if (char === ')' || char === ']' || char === '}') this.pop(char);
    else if (char === ';') this.last = 'semicolon';
    else if (char === ',') this.endOperand();
    else if (char === '.') this.dot();
    else this.operator(char);
    this.head = '';
  }

  openBracket(char: string): void {
    const before = this.source[this.lastEnd - 1] ?? '';
    const isObject = char === '{' && ('([,='.includes(before) || (before === ':' && this.level().isObject));
    this.push(CLOSER[char] as string, false, char === '(' && HEADS.has(this.head), isObject && before !== '');
  }

  /** A string or a template; false when `char` starts neither. */
  quoted(char: string): boolean {
    if (char === '`') {
      this.at += 1;
      this.template();
      return true;
    }
    const string = char === '"' || char === "'" ? this.closed(STRING, char) : undefined;
    if (string === undefined) return false;
    if (/\\\d/.test(string)) this.faulty += 1;
    this.operand();
    return true;
  }

  /** A regular expression; false when the slash divides, or when it cannot be told which. */
  slash(): boolean {
    if (this.last === 'operand' || this.last === 'dot') return false;
    this.blind = this.last === 'blockEnd' || this.last === 'angleEnd' || this.last === 'contextual';
    if (this.blind || this.closed(REGEX, '/') === undefined) return false;
    this.faulty += 1;
    this.operand();
    return true;
  }

  template(): void {
    this.templateText();
    this.faulty += 1;
    if (this.source[this.at] === '`') {
      this.at += 1;
      this.add(1);
      this.operand();
    } else if (this.at < this.source.length) {
      this.at += 2;
      this.push('}', true, false);
    }
  }

  operator(char: string): void {
    if (char === '<') this.addSticky(ANGLE_WEIGHT);
    else this.add(1);
    // `x!` and `x++` leave an operand, `!x` and `++x` wait for one; the former must be on one line.
    const postfix = this.last === 'operand' && !this.newline && (char === '!' || this.isDoubled(char));
    const closesTypes = char === '>' && this.source[this.at - 2] !== '=';
    if (!postfix) this.last = closesTypes ? 'angleEnd' : 'operator';
  }

  dot(): void {
    this.add(1);
    const isSpread = this.source.startsWith('..', this.at);
    if (isSpread) this.at += 2;
    this.last = isSpread ? 'operator' : 'dot';
  }

  isDoubled(char: string): boolean {
    if ((char !== '+' && char !== '-') || this.source[this.at] !== char) return false;
    this.at += 1;
    return true;
  }

  push(closer: string, inTemplate: boolean, ofHead: boolean, isObject = false): void {
    this.levels.push({ open: 0, sticky: 0, closer, isObject, inTemplate, ofHead });
    this.open += 1;
    this.last = 'operator';
  }

  pop(char: string): void {
    if (this.level().closer !== char) this.blind = true;
    if (this.blind) return;
    const level = this.levels.pop() as Level;
    this.open -= level.open + 1;
    // A chain of calls or accesses makes a deep tree too.
    if (char !== '}') this.add(1);
    if (level.inTemplate) this.template();
    else this.last = char === '}' ? 'blockEnd' : level.ofHead ? 'headEnd' : 'operand';
  }

  endOperand(): void {
    this.keep(this.level().sticky);
    this.last = 'operator';
  }

  keep(count: number): void {
    if (this.blind) return;
    const level = this.level();
    this.open -= level.open - count;
    level.open = count;
    if (count === 0) level.sticky = 0;
  }

  add(count: number): void {
    this.level().open += count;
    this.open += count;
  }

  addSticky(count: number): void {
    this.level().sticky += count;
    this.add(count);
  }

  operand(): void {
    this.last = 'operand';
    this.head = '';
  }

  level(): Level {
    return this.levels.at(-1) as Level;
  }
}
