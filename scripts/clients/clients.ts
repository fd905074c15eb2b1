import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** How PML is reached: the command of a server on stdio, or an address. */
export type Connection = { command: string; args: string[]; env: Record<string, string> } | { url: string };

export interface Start {
  command: string;
  args: string[];
  env: Record<string, string>;
}

export interface ClientProgram {
  name: string;
  package: string;
  version: string;
  /** Writes the settings into the folder, and returns how the client is started on one prompt. */
  prepare(folder: string, connection: Connection, model: string): Start;
}

const PROMPT = 'Note the sum of 20 and 22 in a file.';

/** The clients, in the versions that were tried last. */
export const CLIENTS: readonly ClientProgram[] = [
  {
    ...{ name: 'Claude Code', package: '@anthropic-ai/claude-code', version: '2.1.325' },
    prepare: (folder, connection, model) => {
      const pml = 'url' in connection ? { type: 'http', ...connection } : connection;
      const config = write(folder, 'mcp.json', { mcpServers: { pml } });
      const only = ['--mcp-config', config, '--strict-mcp-config', '--allowedTools', 'mcp__pml'];
      return {
        ...{ command: 'claude', args: ['-p', PROMPT, ...only] },
        env: {
          ...{ ANTHROPIC_BASE_URL: model, ANTHROPIC_API_KEY: 'none' },
          ...{ DISABLE_AUTOUPDATER: '1', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' },
        },
      };
    },
  },
  {
    ...{ name: 'Codex', package: '@openai/codex', version: '0.166.0' },
    prepare: (folder, connection, model) => {
      const home = join(folder, 'codex');
      const provider = {
        name: 'stand-in',
        base_url: `${model}/v1`,
        wire_api: 'responses',
        env_key: 'NO_KEY',
      };
      mkdirSync(home, { recursive: true });
      writeFileSync(
        join(home, 'config.toml'),
        [
          ...['model = "stand-in"', 'model_provider = "stand_in"'],
          ...['[model_providers.stand_in]', toml({ ...provider, request_max_retries: 0 })],
          ...['[mcp_servers.pml]', toml({ ...connection, startup_timeout_sec: 60, required: true })],
        ].join('\n'),
      );
      const free = ['--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox'];
      return {
        command: 'codex',
        args: ['exec', ...free, PROMPT],
        env: { CODEX_HOME: home, NO_KEY: 'none' },
      };
    },
  },
  {
    ...{ name: 'Gemini CLI', package: '@google/gemini-cli', version: '0.61.0' },
    prepare: (folder, connection, model) => {
      const pml = 'url' in connection ? { httpUrl: connection.url } : connection;
      write(join(folder, '.gemini'), 'settings.json', {
        security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
        general: { disableAutoUpdate: true },
        privacy: { usageStatisticsEnabled: false },
        mcpServers: { pml: { ...pml, trust: true } },
      });
      return {
        command: 'gemini',
        args: ['-p', PROMPT, '--yolo', '--skip-trust'],
        env: { GEMINI_API_KEY: 'none', GOOGLE_GEMINI_BASE_URL: model },
      };
    },
  },
  {
    ...{ name: 'opencode', package: 'opencode-ai', version: '1.18.33' },
    prepare: (folder, connection, model) => {
      const pml =
        'url' in connection
          ? { type: 'remote', ...connection }
          : {
              ...{ type: 'local', command: [connection.command, ...connection.args] },
              environment: connection.env,
            };
      const options = { baseURL: `${model}/v1`, apiKey: 'none' };
      const models = { m: { name: 'm', tool_call: true, limit: { context: 200_000, output: 8000 } } };
      write(folder, 'opencode.json', {
        ...{ autoupdate: false, share: 'disabled', model: 'stand_in/m', small_model: 'stand_in/m' },
        provider: { stand_in: { npm: '@ai-sdk/openai-compatible', name: 'stand-in', options, models } },
        mcp: { pml: { ...pml, enabled: true, timeout: 60_000 } },
      });
      return { command: 'opencode', args: ['run', PROMPT], env: {} };
    },
  },
];

function write(folder: string, name: string, value: object): string {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, name);
  writeFileSync(file, JSON.stringify(value));
  return file;
}

function toml(values: object): string {
  return Object.entries(values)
    .map(([key, value]) => `${key} = ${tomlValue(value)}`)
    .join('\n');
}

function tomlValue(value: unknown): string {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return JSON.stringify(value);
  const pairs = Object.entries(value).map(([key, inner]) => `${key} = ${tomlValue(inner)}`);
  return `{ ${pairs.join(', ')} }`;
}
