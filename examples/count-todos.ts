// Counts the lines that contain a word, in all files that match a pattern: one run instead of a call for each file.
export default async () => {
  const word = 'TODO';
  const { content } = await mcp.filesystem.search_files({ path: '.', pattern: '**/*.md' });
  const paths = content === 'No matches found' ? [] : content.split('\n');
  const files = await Promise.all(paths.map((path) => mcp.filesystem.read_text_file({ path })));
  return files.flatMap((file) => file.content.split('\n')).filter((line) => line.includes(word)).length;
};
