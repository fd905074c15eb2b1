import type { Command } from '../command.ts';
import { stringOption, wholeNumber } from '../option-values.ts';

export const command: Command = {
  help: `Usage: pml up [--port P] [--host H] [--config FILE]

Serves MCP on http://127.0.0.1:3737/mcp until ctrl-C. Sessions of pml serve share the same servers.

  --port P       the port (default: PML_PORT or 3737)
  --host H       another loopback address; PML refuses any other without authentication
  --config FILE  the config file, instead of the pml.json found from here upwards`,
  options: { port: { type: 'string' }, host: { type: 'string' }, config: { type: 'string' } },
  run: async (invocation) => {
    const [config, host] = [stringOption(invocation, 'config'), stringOption(invocation, 'host')];
    const port = wholeNumber(invocation.values.port, '--port', { most: 65535 });
    const request = {
      cwd: process.cwd(),
      env: process.env,
      ...(config !== undefined && { config }),
      ...(host !== undefined && { host }),
      ...(port !== undefined && { port }),
    };
    const { serveHttp } = await import('../up/serve-http.ts');
    await serveHttp(request, invocation.terminal);
  },
};
