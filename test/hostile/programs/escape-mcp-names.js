// ends: value true
// Names that mean something elsewhere are only names of tools here.
const errors = await Promise.all(['__proto__', 'constructor', 'prototype', 'apply', 'call', 'bind', 'toString', 'hasOwnProperty'].map((name) => mcp.none[name]().catch((error) => error.name)));
const direct = await mcp.constructor.constructor('return process').catch((error) => error.name);
return [...errors, direct].every((name) => name === 'ToolError');
