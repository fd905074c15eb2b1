// ends: limit
// A result whose characters fit and whose bytes do not.
return '\u20ac'.repeat(900_000);
