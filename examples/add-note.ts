// Adds a line to a file of notes. The text is data that a tool writes, so PML makes it a required parameter.
export default async () => {
  const path = 'notes.md';
  const text = 'TODO: call Grace';
  const { content } = await mcp.filesystem.read_text_file({ path });
  await mcp.filesystem.write_file({ path, content: `${content}- ${text}\n` });
  return `${path} has ${content.split('\n').length} lines.`;
};
