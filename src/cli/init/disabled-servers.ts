import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseJsonc } from '../../config/index.ts';
import { isJsonObject, type JsonObject } from '../../json.ts';
import type { HostInfo } from './client-files.ts';

/** Lists the servers of the project's .mcp.json that Claude Code has switched off. */
export function disabledByClaudeSettings({ cwd, homeDir, env }: HostInfo): Set<string> {
  const folder = env.CLAUDE_CONFIG_DIR || path.join(homeDir, '.claude');
  const files = [
    path.join(folder, 'settings.json'),
    path.join(cwd, '.claude', 'settings.json'),
    path.join(cwd, '.claude', 'settings.local.json'),
  ];
  const { projects } = readObject(path.join(env.CLAUDE_CONFIG_DIR || homeDir, '.claude.json'));
  const project = isJsonObject(projects) ? projects[cwd] : undefined;
  const lists = [...files.map(readObject), isJsonObject(project) ? project : {}];
  return new Set(lists.flatMap((list) => namesIn(list.disabledMcpjsonServers)));
}

/** Lists the servers that a part of a client's file switches off by name. */
export function disabledNames(part: JsonObject): string[] {
  return [part.disabledMcpServers, part.disabledServers].flatMap(namesIn);
}

function namesIn(list: unknown): string[] {
  return Array.isArray(list) ? list.filter((name) => typeof name === 'string') : [];
}

function readObject(file: string): JsonObject {
  try {
    const parsed = parseJsonc(readFileSync(file, 'utf8'));
    return 'value' in parsed && isJsonObject(parsed.value) ? parsed.value : {};
  } catch {
    // Most people have none of these files.
    return {};
  }
}
