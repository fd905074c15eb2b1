// ends: exception
// limits: {"turnCpuMs": 20000}
// Buffers outside the heap, which count as well.
const held = [];
for (;;) held.push(new ArrayBuffer(1_000_000));
