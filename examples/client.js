// A program that uses PML as any MCP client does: it runs code, then calls what PML remembered of it as a tool.
import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const client = new Client({ name: 'example', version: '1.0.0' });
const server = { command: 'pml', args: ['serve'], cwd: import.meta.dirname, env: { ...process.env } };
await client.connect(new StdioClientTransport(server));

const code = `const file = await mcp.filesystem.read_text_file({ path: "notes.md" });
return file.content.split("\\n").filter((line) => line.startsWith("# ")).length;`;
const ran = await client.callTool({
  name: 'pml_execute',
  arguments: { intent: 'number of top headings in a Markdown file', name: 'markdown:headings', code },
});
assert.equal(ran.structuredContent?.result, 1);

// The path became a parameter, with the first one as its default.
const called = await client.callTool({ name: 'mcp__markdown__headings', arguments: { path: 'README.md' } });
assert.equal(called.isError, undefined);
console.log(`README.md has ${called.content[0].text} top heading.`);
await client.close();
