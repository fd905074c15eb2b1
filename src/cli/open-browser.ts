import { spawn } from 'node:child_process';

/** Opens an address in the browser of the desktop. Returns false where there is none. */
export function openBrowser(url: string, env: NodeJS.ProcessEnv = process.env): boolean {
  const opener = openerOf(process.platform, env);
  if (!opener) return false;
  const [command, ...args] = opener;
  const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true });
  // Without the program nothing opens; the caller has printed the address.
  child.once('error', () => {});
  child.unref();
  return true;
}

/** The program that opens addresses; undefined on a machine without a screen. */
function openerOf(
  platform: NodeJS.Platform,
  { DISPLAY, WAYLAND_DISPLAY, SSH_CONNECTION }: NodeJS.ProcessEnv,
): [string, ...string[]] | undefined {
  if (SSH_CONNECTION) return undefined;
  if (platform === 'darwin') return ['open'];
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  return DISPLAY || WAYLAND_DISPLAY ? ['xdg-open'] : undefined;
}
