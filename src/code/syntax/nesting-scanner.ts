import { TokenReader } from './token-reader.ts';

interface Level {
  /** Operators, prefix words and statement heads that may still wait for their operand. */
  open: number;
  /** The `<` and statement heads among them: they continue after a comma, where all others end. */
  sticky: number;
  readonly closer: string;
  readonly isObject: boolean;
  readonly inTemplate: boolean;
  /** True for `(` after `if`, `for`, `while` or `with`: a statement follows its `)`. */
  readonly isHead: boolean;
}

/** The kind of the last token: it decides whether a slash divides and whether a line break ends a statement. */
type Last = 'operand' | 'operator' | 'dot' | 'semicolon' | 'blockEnd' | 'headEnd' | 'angleEnd' | 'contextual';

// At a `<` the parser tries type arguments and may backtrack, so it costs more than its depth.
const ANGLE_WEIGHT = 3;
const CLOSER: Record<string, string> = { '(': ')', '[': ']', '{': '}' };
const HEADS = new Set(['if', 'for', 'while', 'with']);
const STATEMENT = words('if else for while do with try');
const CONTINUES = words('else while catch finally in of instanceof as satisfies is extends implements from');
const RESERVED =
  words(`await break case catch class const continue default delete do else enum export extends finally
  for function if import in instanceof new return switch throw try typeof var void while with yield`);
// Words that may also be names, so a slash after one is ambiguous.
const CONTEXTUAL =
  words(`async let keyof unique readonly infer asserts abstract declare static get set as satisfies is
  of implements type interface namespace accessor`);
const WORD = /[\p{ID_Continue}$\\#\u200c\u200d]+/uy;
const GAP = /\s+|\/\/[^\n\r\u2028\u2029]*/y;
const LINE_BREAK = /[\n\r\u2028\u2029]/;
// Strings and regular expressions without their closing character; `matchClosed` looks for that.
const STRING = /"(?:[^"\\\n\r]|\\(?:\r\n|[\s\S]))*|'(?:[^'\\\n\r]|\\(?:\r\n|[\s\S]))*/y;
const REGEX = /\/(?:[^\\/[\n\r]|\\[^\n\r]|\[(?:[^\]\\\n\r]|\\[^\n\r])*\])+/y;
const COLON = /\s*:/y;
const PLAIN_VALUE = /^(?:true|false|null|0(?:e[\de]*)?|[1-9][\de]*)$/;

function words(list: string): Set<string> {
  return new Set(list.split(/\s+/));
}

/**
 * Scans a text token by token and bounds how deep the parser may recurse on it. The parser is native code: a stack
 * overflow there ends the whole process, and some deeply nested inputs cost it quadratic time. The bound must never be
 * too low. It may be too high, since programs that people write stay far below the limit.
 *
 * Each bracket level counts everything that can be open there at once. The end of a statement resets the count.
 */
export class NestingScanner extends TokenReader {
  /** Constructs that may be open now, on all levels. */
  open = 0;
  /** Tokens that may cause a parse error from which the parser recovers. */
  errorProne = 0;
  levels: Level[] = [{ open: 0, sticky: 0, closer: '', isObject: false, inTemplate: false, isHead: false }];
  last: Last = 'operator';
  head = '';
  newline = false;
  /** Where the last token ended. */
  lastEnd = 0;

  step(): void {
    const gap = this.ambiguous ? undefined : (this.match(GAP) ?? this.comment());
    if (gap !== undefined) {
      this.newline ||= LINE_BREAK.test(gap);
      return;
    }
    const word = this.match(WORD);
    if (word !== undefined) this.readWord(word);
    else this.readPunctuation(this.source[this.at] as string);
    this.newline = false;
    this.lastEnd = this.at;
  }

  readWord(word: string): void {
    const isKey = this.level().isObject && word !== '__proto__' && this.isAt(COLON);
    if (!isKey && !PLAIN_VALUE.test(word)) this.errorProne += 1;
    const ended =
      this.last === 'blockEnd' || this.last === 'semicolon' || (this.newline && this.last === 'operand');
    if (ended && !CONTINUES.has(word)) this.closeAllBut(0);
    const isReserved = this.last !== 'dot' && RESERVED.has(word);
    const isContextual = this.last !== 'dot' && CONTEXTUAL.has(word);
    if (isReserved && STATEMENT.has(word)) this.addSticky(1);
    else if (isReserved || isContextual) this.add(1);
    this.last = isReserved ? 'operator' : isContextual ? 'contextual' : 'operand';
    // `for await (` is a head as well.
    if (!(word === 'await' && this.head === 'for')) this.head = isReserved ? word : '';
  }

  readPunctuation(char: string): void {
    if (this.last === 'semicolon') this.closeAllBut(0);
    if (!this.ambiguous && (char === '/' ? this.slash() : this.quoted(char))) return;
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

  /** Consumes a string or a template; false if `char` starts neither. */
  quoted(char: string): boolean {
    if (char === '`') {
      this.at += 1;
      this.template();
      return true;
    }
    const string = char === '"' || char === "'" ? this.matchClosed(STRING, char) : undefined;
    if (string === undefined) return false;
    if (/\\\d/.test(string)) this.errorProne += 1;
    this.operand();
    return true;
  }

  /** Consumes a regular expression; false if the slash divides or is ambiguous. */
  slash(): boolean {
    if (this.last === 'operand' || this.last === 'dot') return false;
    this.ambiguous = this.last === 'blockEnd' || this.last === 'angleEnd' || this.last === 'contextual';
    if (this.ambiguous || this.matchClosed(REGEX, '/') === undefined) return false;
    this.errorProne += 1;
    this.operand();
    return true;
  }

  template(): void {
    this.templateText();
    this.errorProne += 1;
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
    // `x!` and `x++`, on one line, leave an operand; `!x` and `++x` wait for one.
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

  push(closer: string, inTemplate: boolean, isHead: boolean, isObject = false): void {
    this.levels.push({ open: 0, sticky: 0, closer, isObject, inTemplate, isHead });
    this.open += 1;
    this.last = 'operator';
  }

  pop(char: string): void {
    if (this.level().closer !== char) this.ambiguous = true;
    if (this.ambiguous) return;
    const level = this.levels.pop() as Level;
    this.open -= level.open + 1;
    // A chain of calls or member accesses makes a deep tree too.
    if (char !== '}') this.add(1);
    if (level.inTemplate) this.template();
    else this.last = char === '}' ? 'blockEnd' : level.isHead ? 'headEnd' : 'operand';
  }

  endOperand(): void {
    this.closeAllBut(this.level().sticky);
    this.last = 'operator';
  }

  /** Closes all but `count` constructs of the current level. */
  closeAllBut(count: number): void {
    if (this.ambiguous) return;
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
