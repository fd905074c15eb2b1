// ends: exception
// A stack limit that is a trap.
Object.defineProperty(Error, 'stackTraceLimit', { get() { throw new Error('limit'); } });
await mcp.none.none();
