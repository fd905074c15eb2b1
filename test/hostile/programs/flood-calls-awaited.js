// ends: limit
// Calls without end, one after another.
for (;;) await mcp.echo.back({});
