// ends: value true
// A species and a then that hand the sandbox's own promises to the guest.
const got = [];
const then = Promise.prototype.then;
Promise.prototype.then = function (...given) { got.push(...given); return Reflect.apply(then, this, given); };
Object.defineProperty(Promise, Symbol.species, { get() { return function (executor) { return new Promise(executor); }; } });
Object.defineProperty(Promise.prototype, 'constructor', { get() { return class extends Promise {}; }, configurable: true });
await mcp.echo.back({});
return got.every((value) => value === undefined || value.constructor.constructor('return typeof process')() === 'undefined');
