// ends: timeout
// A regular expression that backtracks for centuries.
return /^(a+)+$/.test(`${'a'.repeat(60)}b`);
