// ends: memory
// limits: {"turnCpuMs": 20000}
// Lists without end.
const held = [];
for (;;) held.push(new Array(1000).fill(1.5));
