// ends: value {"polluted":false}
// A result that would pollute a careless reader.
await mcp.echo.back(JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}'));
return { polluted: {}.polluted === true };
