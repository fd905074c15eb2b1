// ends: timeout
// A timer's callback that never returns.
setTimeout(() => { for (;;); }, 1);
await new Promise(() => {});
