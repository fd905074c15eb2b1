// ends: timeout
// A generator that yields without end into a spread.
function* endless() { for (;;) yield undefined; }
for (const _ of endless());
