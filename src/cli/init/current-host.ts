import { userHomeOf } from '../../home.js';
import type { HostInfo } from './client-files.ts';

/** The folder, user and platform of this process. */
export function currentHost(): HostInfo {
  const { env, platform } = process;
  return { cwd: process.cwd(), env, platform, homeDir: userHomeOf(env) };
}
