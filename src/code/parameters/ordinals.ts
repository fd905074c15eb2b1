const UNITS =
  'first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth'.split(
    ' ',
  );
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');

/** `first` for 1, `twenty_first` for 21. */
export function ordinalWord(count: number): string {
  const unit = UNITS[count - 1];
  if (unit !== undefined) return unit;
  const ten = TENS[Math.floor(count / 10) - 2];
  if (ten === undefined) return `number_${count}`;
  return count % 10 === 0 ? ten.replace(/y$/, 'ieth') : `${ten}_${UNITS[(count % 10) - 1]}`;
}
