// ends: value "calm"
// Every prototype turned into a trap, to catch what the sandbox's own code touches.
const native = [];
const note = (value) => { if (typeof value === 'function' && /native code/.test(Function.prototype.toString.call(value)) && /^(post|ask|Callback)?$/.test(value.name)) native.push(String(value)); };
for (const key of ['0', '1', 'get', 'set', 'value', 'then', 'toJSON', 'path', 'next', 'resolve', 'reject', 'args', 'apply']) {
  for (const prototype of [Object.prototype, Array.prototype, Function.prototype]) {
    try {
      Object.defineProperty(prototype, key, { configurable: true, get() { note(this); return undefined; }, set(value) { note(value); note(this); Object.defineProperty(this, key, { value, writable: true, configurable: true, enumerable: true }); } });
    } catch {}
  }
}
const back = await mcp.echo.back({ a: 1 });
console.log('x', back);
return native.length === 0 && back.a === 1 ? 'calm' : native;
