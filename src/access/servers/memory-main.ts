// Started as a process of its own. The package starts its server when it is imported.
import '@modelcontextprotocol/server-memory/dist/index.js';
