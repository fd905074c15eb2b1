// ends: value true
// A hook on stack traces asks each frame for its function and its receiver.
const got = [];
Error.prepareStackTrace = (_, frames) => {
  for (const frame of frames) got.push(frame.getFunction(), frame.getThis());
  return 'stack';
};
const trap = { get a() { got.push(new Error('inside').stack); return 1; }, toJSON() { void new Error('json').stack; return 1; } };
console.log(trap);
await mcp.echo.back(trap);
await mcp.none.none().catch((error) => error.stack);
setTimeout(() => new Error('timer').stack, 0);
await new Promise((resolve) => setTimeout(resolve, 5));
return got.every((value) => typeof value !== 'function' && (typeof value !== 'object' || value === null || value === trap));
