// ends: limit
// Calls without end, none awaited.
for (;;) mcp.echo.back({});
