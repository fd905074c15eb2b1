// ends: value true
// The result of a call belongs to this realm, down to its errors and promises.
const back = await mcp.echo.back({ list: [{}] });
const pending = mcp.echo.back({});
const error = await mcp.none.none().catch((thrown) => thrown);
const here = (value) => value.constructor.constructor('return globalThis')() === globalThis;
return [back, back.list, back.list[0], pending, error, args, mcp.echo.back].every(here);
