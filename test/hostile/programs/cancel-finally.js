// ends: cancelled
// cancel
// A finally that goes on after the end.
try { await mcp.echo.never(); } finally { for (;;) await mcp.echo.back({}); }
