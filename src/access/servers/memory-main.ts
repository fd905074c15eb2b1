// Started as a process of its own. The import is all: the package starts its server when it is loaded.
import '@modelcontextprotocol/server-memory/dist/index.js';
