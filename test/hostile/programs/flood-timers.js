// ends: exception
// Timers without end.
for (;;) setTimeout(() => {}, 1_000_000);
