import { PmlError } from '../errors.ts';
import type { Command, Invocation } from './command.ts';

export const upCommand: Command = {
  summary: 'MCP over HTTP, with a page that shows what runs',
  help: `Usage: pml up [--port P] [--host H] [--config FILE]

Serves MCP on http://127.0.0.1:3737/mcp until ctrl-C. Sessions of pml serve share the same servers.

  --port P       another port (or PML_PORT)
  --host H       another loopback address; others are refused without authentication
  --config FILE  instead of the pml.json found from here upwards`,
  options: { port: { type: 'string' }, host: { type: 'string' }, config: { type: 'string' } },
  run: async ({ values, terminal }: Invocation) => {
    const request = {
      cwd: process.cwd(),
      env: process.env,
      ...(typeof values.config === 'string' && { config: values.config }),
      ...(typeof values.host === 'string' && { host: values.host }),
      ...(typeof values.port === 'string' && { port: portOf(values.port) }),
    };
    const { serveHttp } = await import('./up/serve.ts');
    await serveHttp(request, terminal);
  },
};

function portOf(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65535) return port;
  throw new PmlError('bad_request', `--port: expected a number from 0 to 65535, got "${text}"`);
}
