// ends: limit
// Calls without end, with every refusal caught.
for (;;) { try { await mcp.none.none(); } catch {} }
