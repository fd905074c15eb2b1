// ends: value [false,false,false,true]
// The proxies take no change.
return [Reflect.set(mcp, 'x', 1), Reflect.defineProperty(mcp.echo, 'x', { value: 1 }), Reflect.setPrototypeOf(mcp, {}), mcp.echo === mcp.echo];
