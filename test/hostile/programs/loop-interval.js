// ends: timeout
// A timer that goes on and on, while the code waits.
setInterval(() => {}, 1);
await new Promise(() => {});
