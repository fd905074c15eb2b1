// ends: value [null,null]
// Sloppy code that asks who called it.
globalThis.out = [];
const spy = new Function('out.push(spy.caller)');
globalThis.spy = spy;
const trap = { toJSON: spy };
await mcp.echo.back(trap);
setTimeout(spy, 0);
await new Promise((resolve) => setTimeout(resolve, 5));
return out;
