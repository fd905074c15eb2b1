// ends: exception
// A tool whose name is a megabyte long.
return mcp['x'.repeat(1_000_000)]();
