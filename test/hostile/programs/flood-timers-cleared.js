// ends: timeout
// Timers set and cleared without end.
for (;;) clearTimeout(setTimeout(() => {}, 1_000_000));
