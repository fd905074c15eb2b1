// ends: exception
// Text nested deep enough to overflow a careless parser, as an argument.
const text = '['.repeat(100_000) + ']'.repeat(100_000);
return mcp.echo.back(JSON.parse(text));
