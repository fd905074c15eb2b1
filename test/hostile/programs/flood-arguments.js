// ends: any
// Large arguments, many at once.
return Promise.all(Array.from({ length: 60 }, () => mcp.echo.length({ text: 'x'.repeat(900_000) })));
