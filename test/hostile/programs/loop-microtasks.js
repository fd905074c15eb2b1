// ends: timeout
// Microtasks that queue microtasks: the turn never ends.
const again = () => Promise.resolve().then(again);
again();
await new Promise(() => {});
