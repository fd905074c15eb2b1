// ends: timeout
// Waits for a tool that never answers, and catches everything.
for (;;) { try { await mcp.echo.never(); } catch {} }
