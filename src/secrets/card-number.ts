/** The lengths and first digits of the large issuers. */
const ISSUER =
  /^(?:4\d{15}|5[1-5]\d{14}|2[2-7]\d{14}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|6(?:011|5\d\d)\d{12})$/;

/** True for the number of a payment card: an issuer's length and prefix, and a check digit that fits. */
export function isCardNumber(text: string): boolean {
  if (text.length < 14 || text.length > 23) return false;
  const digits = text.replace(/[ -]/g, '');
  return ISSUER.test(digits) && passesLuhn(digits);
}

function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let at = 0; at < digits.length; at += 1) {
    const digit = Number(digits[digits.length - 1 - at]);
    const doubled = at % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}
