import type { Terminal } from '../terminal.ts';
import { type ToolAnswer, toolCommand } from '../tool-command.ts';

export const command = toolCommand({
  tool: 'cap_history',
  usage: 'history NAME',
  about: 'Shows every version, newest first, with what it changed; then every rename, with who made it.',
  completes: 'capabilities',
  positionals: [1, 1],
  input: ({ positionals: [name] }) => ({ name }),
  format: ({ versions, renames }, terminal) =>
    [
      ...versions.map((version: ToolAnswer) => formatVersion(version, terminal)),
      ...(renames.length > 0 ? [renames.map(formatRename).join('\n')] : []),
    ].join('\n\n'),
});

function formatVersion(version: ToolAnswer, terminal: Terminal): string {
  const tag = version.version_tag ? ` (${version.version_tag})` : '';
  const head = terminal.style('bold', `@${version.version}${tag}`);
  const { updated_at, updated_by, change_summary, diff } = version;
  return `${head}  ${updated_at}  ${updated_by}  ${change_summary}\n${diff.trimEnd()}`;
}

function formatRename({ from, to, user, renamed_by, renamed_at, undo }: ToolAnswer): string {
  const how = renamed_by === 'user' ? user : `${user} (${renamed_by})`;
  return `${undo ? 'undone' : 'renamed'}: ${from} → ${to}  ${renamed_at}  ${how}`;
}
