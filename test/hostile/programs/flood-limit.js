// ends: limit
// Goes on calling after it was told that it may not.
for (;;) { try { mcp.echo.back({}); } catch {} }
