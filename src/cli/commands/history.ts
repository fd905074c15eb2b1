import type { Terminal } from '../terminal.ts';
import { type ToolAnswer, toolCommand } from '../tool-command.ts';

export const command = toolCommand({
  tool: 'cap_history',
  usage: 'history NAME',
  about: 'Shows every version, newest first, with what it changed.',
  positionals: [1, 1],
  input: ({ positionals: [name] }) => ({ name }),
  format: ({ versions }, terminal) =>
    versions.map((version: ToolAnswer) => formatVersion(version, terminal)).join('\n\n'),
});

function formatVersion(version: ToolAnswer, terminal: Terminal): string {
  const tag = version.version_tag ? ` (${version.version_tag})` : '';
  const head = terminal.style('bold', `v${version.version}${tag}`);
  const { updated_at, updated_by, change_summary, diff } = version;
  return `${head}  ${updated_at}  ${updated_by}  ${change_summary}\n${diff.trimEnd()}`;
}
