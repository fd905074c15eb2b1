// ends: any
// A number with a thousand million digits.
let n = 2n;
for (;;) n = n ** 2n;
