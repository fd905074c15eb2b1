// ends: memory
// limits: {"turnCpuMs": 20000}
// A map that grows: V8 aborts the process when its table cannot.
const held = new Map();
for (let i = 0; ; i++) held.set(i, { i });
