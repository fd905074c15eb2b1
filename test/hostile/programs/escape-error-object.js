// ends: exception
// An error whose every property attacks the reader.
throw Object.defineProperties(new Error(), {
  message: { get() { throw new Error('message'); } },
  name: { get() { throw 1; } },
  stack: { get() { return { toString() { throw 2; } }; } },
});
