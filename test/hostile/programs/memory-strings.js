// ends: memory
// limits: {"turnCpuMs": 20000}
// Texts without end.
const held = [];
for (;;) held.push('x'.repeat(1_000_000) + held.length);
