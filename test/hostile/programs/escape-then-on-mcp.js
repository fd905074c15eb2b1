// ends: value ["object","function",0]
// Awaiting the proxies calls nothing.
const root = await mcp;
const server = await mcp.echo;
return [typeof root, typeof server, JSON.stringify([root, server]) === '[{},null]' ? 0 : 1];
