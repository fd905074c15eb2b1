// ends: memory
// limits: {"turnCpuMs": 20000}
// Microtasks that each hold more.
const held = [];
const again = () => { held.push(new Array(10_000).fill({})); return Promise.resolve().then(again); };
await again();
