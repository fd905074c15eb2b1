/**
 * How a function does its work, and the word that names add for it: `unionBy` maps first, `unionWith` compares by a function.
 * The words of `says` must follow one of `after` closely, as in `using a custom equality function`.
 */
const MANNERS: readonly { readonly after: string; readonly says: string; readonly adds: string }[] = [
  { after: 'from', says: 'right end', adds: 'right' },
  { after: 'deeply deep recursively', says: '', adds: 'deep' },
  { after: 'while until', says: 'predicate returns satisfies satisfy', adds: 'while' },
  {
    after: 'using based by through after according applying each',
    says: 'mapping iteratee mapper key-generating key-returning transformation',
    adds: 'by',
  },
  {
    after: 'using based by with through according',
    says: 'equality comparator comparators customizer combiner',
    adds: 'with',
  },
  { after: 'async asynchronous asynchronously', says: '', adds: 'async' },
];
const REACH = 5;

const ROWS = MANNERS.map(({ after, says, adds }) => ({
  after: new Set(after.split(' ')),
  says: says === '' ? undefined : new Set(says.split(' ')),
  adds,
}));

/** Returns the words that a sentence adds to the name of a function. */
export function suffixWords(words: readonly string[]): string[] {
  const found = ROWS.filter(({ after, says }) =>
    words.some(
      (word, at) =>
        after.has(word) && (!says || words.slice(at + 1, at + 1 + REACH).some((one) => says.has(one))),
    ),
  );
  return found.map(({ adds }) => adds);
}
