import path from 'node:path';

export type Client = 'Claude Code' | 'Claude Desktop' | 'Cursor' | 'VS Code' | 'Windsurf' | 'Zed';

/** A file in which an MCP client may keep servers. */
export interface ClientFile {
  client: Client | 'file';
  file: string;
}

/** The facts that finding and converting client files depends on. */
export interface HostInfo {
  platform: NodeJS.Platform;
  homeDir: string;
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  /** Only files of the user, none of the project. */
  isGlobal?: boolean;
}

// Builds of VS Code that keep their settings apart.
const EDITIONS = ['Code', 'Code - Insiders', 'VSCodium'];
// The Windows store keeps Claude Desktop's files in a container; the suffix is Anthropic's publisher id.
const STORE_CLAUDE = ['Packages', 'Claude_pzs8sxrjxfjjc', 'LocalCache', 'Roaming'];

/** Lists the files to read, the project's own first: when two servers share a name, the first keeps it. */
export function clientFiles({ platform, homeDir, env, cwd, isGlobal }: HostInfo): ClientFile[] {
  const settings = settingsFolder(platform, homeDir, env);
  const desktop = [settings];
  if (platform === 'win32') {
    desktop.push(path.join(env.LOCALAPPDATA || path.join(homeDir, 'AppData', 'Local'), ...STORE_CLAUDE));
  }
  const ofProject: ClientFile[] = [
    { client: 'Claude Code', file: path.join(cwd, '.mcp.json') },
    { client: 'Cursor', file: path.join(cwd, '.cursor', 'mcp.json') },
    { client: 'VS Code', file: path.join(cwd, '.vscode', 'mcp.json') },
    { client: 'Zed', file: path.join(cwd, '.zed', 'settings.json') },
  ];
  return [
    ...(isGlobal ? [] : ofProject),
    { client: 'Claude Code', file: path.join(env.CLAUDE_CONFIG_DIR || homeDir, '.claude.json') },
    ...desktop.map((folder): ClientFile => {
      return { client: 'Claude Desktop', file: path.join(folder, 'Claude', 'claude_desktop_config.json') };
    }),
    { client: 'Cursor', file: path.join(homeDir, '.cursor', 'mcp.json') },
    ...EDITIONS.map((edition): ClientFile => {
      return { client: 'VS Code', file: path.join(settings, edition, 'User', 'mcp.json') };
    }),
    { client: 'Windsurf', file: path.join(homeDir, '.codeium', 'windsurf', 'mcp_config.json') },
    { client: 'Zed', file: path.join(zedFolder(platform, homeDir, settings), 'settings.json') },
  ];
}

/** Zed keeps to ~/.config on macOS, too. */
function zedFolder(platform: NodeJS.Platform, homeDir: string, settings: string): string {
  if (platform === 'win32') return path.join(settings, 'Zed');
  return path.join(platform === 'darwin' ? path.join(homeDir, '.config') : settings, 'zed');
}

/** The folder in which programs of this platform keep a user's settings. */
function settingsFolder(platform: NodeJS.Platform, homeDir: string, env: HostInfo['env']): string {
  if (platform === 'darwin') return path.join(homeDir, 'Library', 'Application Support');
  if (platform === 'win32') return env.APPDATA || path.join(homeDir, 'AppData', 'Roaming');
  return env.XDG_CONFIG_HOME || path.join(homeDir, '.config');
}
