// ends: memory
// limits: {"turnCpuMs": 20000}
// Promises that nothing settles.
const held = [];
for (;;) held.push(new Promise(() => {}));
