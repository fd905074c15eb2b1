import type { Duplex } from 'node:stream';
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { PmlError } from '../../errors.ts';
import type { JsonObject } from '../../json.ts';
import type { Log } from '../../log.ts';
import { discoverTool, errorAnswer, executeTool } from '../tools/index.ts';
import { createBareServer } from './sdk-server.ts';
import { StreamTransport } from './stream-transport.ts';

/**
 * Serves a client whose config cannot be used. The client connects, so its model can read what is wrong; a refused
 * client would only see the connection close. It reaches no servers or capabilities: only a config grants those.
 */
export function serveWithoutConfig(stream: Duplex, log: Log, explain: () => PmlError): void {
  const { message, hint = '' } = explain();
  const instructions = `PML cannot be used in this session, because its config cannot be used:\n\n${message}\n\n${hint}`;
  serveStdio(
    async () => {
      const server = createBareServer(log, { tools: {} }, instructions);
      server.fallbackRequestHandler = async ({ method }) => answer(method, explain);
      return server;
    },
    {
      transport: new StreamTransport(stream),
      onerror: (error) => log.debug(`session without a config: ${error.message}`),
    },
  );
}

function answer(method: string, explain: () => PmlError): JsonObject {
  if (method === 'tools/list') return { tools: [executeTool.listed, discoverTool.listed] };
  if (method === 'tools/call') return errorAnswer(explain());
  throw new ProtocolError(ProtocolErrorCode.MethodNotFound, `Method not found: ${method}`);
}
