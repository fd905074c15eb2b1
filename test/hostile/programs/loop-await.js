// ends: timeout
// An async function that never gives the loop back.
for (;;) await null;
