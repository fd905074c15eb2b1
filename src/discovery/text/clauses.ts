import { isVerb } from './verbs.ts';
import { wordsOf } from './words.ts';

const MAX_CLAUSES = 8;
const BOUNDARY =
  /[.?!;](?=\s|$)|\n|\b(?:and also|additionally|also|then|as well as|furthermore|moreover|after that)\b|[。？！；]/i;
const LIST_ITEM = /(?=\band\b)|(?=, )/i;

/**
 * Splits an intent that names several tasks: at the end of a sentence, at words like "then", and at an "and" or comma
 * before a verb. "Read the file and post it to Slack" has two clauses, "the name and size of a file" is one.
 */
export function clausesOf(intent: string): string[] {
  const clauses: string[] = [];
  for (const sentence of intent.split(BOUNDARY)) {
    let clause = '';
    for (const item of sentence.split(LIST_ITEM)) {
      if (clause !== '' && beginsWithVerb(item)) {
        clauses.push(clause);
        clause = '';
      }
      clause += item;
    }
    clauses.push(clause);
  }
  const told = clauses.map((clause) => clause.trim()).filter((clause) => wordsOf(clause, 1).length > 0);
  return told.slice(0, MAX_CLAUSES);
}

function beginsWithVerb(item: string): boolean {
  const first = wordsOf(item, 4).find(({ isStop }) => !isStop);
  return first !== undefined && isVerb(first.text);
}
