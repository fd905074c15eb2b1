import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { clientFiles } from './client-files.ts';

function paths(platform: NodeJS.Platform, env: Record<string, string> = {}): string[] {
  const files = clientFiles({ platform, homeDir: '/home/ana', env, cwd: '/work/app' });
  return files.map(({ client, file }) => `${client}: ${file.split(path.sep).join('/')}`);
}

const PROJECT = [
  'Claude Code: /work/app/.mcp.json',
  'Cursor: /work/app/.cursor/mcp.json',
  'VS Code: /work/app/.vscode/mcp.json',
  'Zed: /work/app/.zed/settings.json',
];
const WINDSURF = 'Windsurf: /home/ana/.codeium/windsurf/mcp_config.json';

test('files on Linux', () => {
  assert.deepEqual(paths('linux'), [
    ...PROJECT,
    'Claude Code: /home/ana/.claude.json',
    'Claude Desktop: /home/ana/.config/Claude/claude_desktop_config.json',
    'Cursor: /home/ana/.cursor/mcp.json',
    'VS Code: /home/ana/.config/Code/User/mcp.json',
    'VS Code: /home/ana/.config/Code - Insiders/User/mcp.json',
    'VS Code: /home/ana/.config/VSCodium/User/mcp.json',
    WINDSURF,
    'Zed: /home/ana/.config/zed/settings.json',
  ]);
});

test('files on macOS', () => {
  const support = '/home/ana/Library/Application Support';
  assert.deepEqual(paths('darwin'), [
    ...PROJECT,
    'Claude Code: /home/ana/.claude.json',
    `Claude Desktop: ${support}/Claude/claude_desktop_config.json`,
    'Cursor: /home/ana/.cursor/mcp.json',
    `VS Code: ${support}/Code/User/mcp.json`,
    `VS Code: ${support}/Code - Insiders/User/mcp.json`,
    `VS Code: ${support}/VSCodium/User/mcp.json`,
    WINDSURF,
    'Zed: /home/ana/.config/zed/settings.json',
  ]);
});

test('files on Windows, with Claude Desktop from the installer and from the store', () => {
  const store = 'Packages/Claude_pzs8sxrjxfjjc/LocalCache/Roaming/Claude/claude_desktop_config.json';
  assert.deepEqual(paths('win32', { APPDATA: '/roaming', LOCALAPPDATA: '/local' }), [
    ...PROJECT,
    'Claude Code: /home/ana/.claude.json',
    'Claude Desktop: /roaming/Claude/claude_desktop_config.json',
    `Claude Desktop: /local/${store}`,
    'Cursor: /home/ana/.cursor/mcp.json',
    'VS Code: /roaming/Code/User/mcp.json',
    'VS Code: /roaming/Code - Insiders/User/mcp.json',
    'VS Code: /roaming/VSCodium/User/mcp.json',
    WINDSURF,
    'Zed: /roaming/Zed/settings.json',
  ]);
  const plain = paths('win32');
  assert.ok(plain.includes('Claude Desktop: /home/ana/AppData/Roaming/Claude/claude_desktop_config.json'));
  assert.ok(plain.includes(`Claude Desktop: /home/ana/AppData/Local/${store}`));
});

test('environment variables can move these folders', () => {
  const moved = paths('linux', { XDG_CONFIG_HOME: '/xdg', CLAUDE_CONFIG_DIR: '/claude' });
  assert.ok(moved.includes('Claude Code: /claude/.claude.json'));
  assert.ok(moved.includes('VS Code: /xdg/Code/User/mcp.json'));
  assert.ok(moved.includes('Zed: /xdg/zed/settings.json'));
});
