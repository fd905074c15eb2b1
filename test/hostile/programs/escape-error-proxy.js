// ends: exception
// A thrown proxy that answers every question with itself.
const trap = new Proxy(function () {}, { get: () => trap, apply: () => trap, getPrototypeOf: () => Error.prototype });
throw trap;
