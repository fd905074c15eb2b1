import { html } from 'hono/html';

/** The part of the daemon's status that the page shows. */
export interface StatusPageData {
  version: string;
  engine: string;
  sessions: number;
  workspaces: {
    config: string | null;
    scope: string;
    sessions: number;
    servers: { name: string; state: string; tools: number; problem?: string | undefined }[];
  }[];
}

/** Renders the page at `/`: what runs, and how to connect to it. */
export function statusPage(status: StatusPageData, origin: string) {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>PML</title>
<style>
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { max-width: 52rem; margin: 3rem auto; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; padding: .35rem .8rem .35rem 0; border-bottom: 1px solid #8884; }
code { font-family: ui-monospace, monospace; } .down { color: #c33; } .ready { color: #2a8a3e; }
</style>
</head>
<body>
<h1>PML ${status.version}</h1>
<p>${status.sessions} sessions on ${status.engine}. MCP endpoint: <code>${origin}/mcp</code></p>
<p>Connect Claude Code: <code>claude mcp add --transport http pml ${origin}/mcp</code></p>
${status.workspaces.map(
  (workspace) => html`<h2>${workspace.scope}</h2>
<p>${workspace.config ?? 'no config file'}, ${workspace.sessions} sessions</p>
<table><tr><th>Server</th><th>State</th><th>Tools</th><th></th></tr>
${workspace.servers.map(
  (server) => html`<tr><td>${server.name}</td><td class="${server.state}">${server.state}</td>
<td>${server.tools}</td><td>${server.problem ?? ''}</td></tr>`,
)}</table>`,
)}
</body>
</html>`;
}
