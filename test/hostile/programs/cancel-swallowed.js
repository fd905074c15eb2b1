// ends: cancelled
// cancel
// Catches everything, calls again, and never ends.
for (;;) { try { await mcp.echo.never(); } catch {} }
