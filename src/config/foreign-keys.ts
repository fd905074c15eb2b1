/**
 * Keys of other MCP clients that PML may ignore in a server entry: they affect that client's own prompts, display or
 * bookkeeping, and the server works the same without them.
 */
export const IGNORED_KEYS = {
  autoApprove: 'Cline, Kiro: calls it runs without asking.',
  alwaysAllow: 'Roo Code, Kilo Code: calls it runs without asking.',
  trust: 'Gemini CLI: calls it runs without asking.',
  timeout:
    'Milliseconds in Claude Code and Gemini CLI, seconds in Cline and Roo Code; write pml.timeoutMs instead.',
  description: 'Gemini CLI: a text about the server.',
  alwaysLoad: 'Claude Code: do not defer the tools of this server.',
  watchPaths: 'Roo Code: files that restart the server.',
  dev: 'VS Code: development mode.',
  gallery: 'VS Code: where the server was installed from.',
  version: 'VS Code: the version that was installed.',
  metadata: 'Cline: bookkeeping.',
  remoteConfigured: 'Cline: bookkeeping.',
  _meta: 'Registries: bookkeeping.',
} as const;

/**
 * Keys of other MCP clients that PML must not ignore, each with what to write instead: without it the server would offer
 * more than its owner meant, or not connect at all.
 */
export const REFUSED_KEYS: Readonly<Record<string, string>> = {
  tools: 'write the names of the allowed tools in "pml": { "tools": [...] }', // Copilot CLI
  includeTools: 'write the names of the allowed tools in "pml": { "tools": [...] }', // Gemini CLI
  excludeTools: 'PML has a list of allowed tools alone: "pml": { "tools": [...] }', // Gemini CLI
  disabledTools: 'PML has a list of allowed tools alone: "pml": { "tools": [...] }', // Windsurf, Roo Code
  serverUrl: 'write "url"', // Windsurf
  httpUrl: 'write "url"', // Gemini CLI
  transport: 'write "type", "command" and "url" in the entry itself', // Cline CLI
  transportType: 'write "type"', // Cline, older
  headersHelper: `PML runs no helper; write "headers", with \${VAR} for a secret`, // Claude Code
  oauth: `PML does not sign in for you; write a token in "headers", with \${VAR}`, // Claude Code, VS Code, Cline
  auth: `PML does not sign in for you; write a token in "headers", with \${VAR}`, // Cursor, Copilot CLI
  sandboxEnabled: 'PML does not sandbox server processes', // VS Code
};

/** Top-level keys of other clients' files, each with what to write instead. */
export const REFUSED_TOP_KEYS: Readonly<Record<string, string>> = {
  servers: 'write "mcpServers"', // VS Code
  inputs: `PML asks for nothing; write \${VAR} where a value is secret`, // VS Code
};
