// ends: exception
// limits: {"turnCpuMs": 2500}
// Timers without end.
for (;;) setTimeout(() => {}, 1_000_000);
