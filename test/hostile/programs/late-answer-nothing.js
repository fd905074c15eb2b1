// ends: exception
// Waits for what nothing will settle.
await new Promise(() => {});
