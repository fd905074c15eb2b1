import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { Directory, DirectoryEntry } from '../../access/index.ts';
import { untrustedNotice } from '../../config/index.ts';
import { PmlError } from '../../errors.ts';
import { isJsonObject, type JsonObject } from '../../json.ts';
import type { Callable } from '../../registry/index.ts';
import { journaledCall } from '../../runs/index.ts';
import { answerWith, errorAnswer, PML_TOOLS, type PmlTool } from '../tools/index.ts';
import type { ClientRequest } from './client-request.ts';
import { listTools } from './list-tools.ts';
import type { Session } from './session.ts';

/** Everything a session can call: PML's own tools, the servers' tools, and the capabilities. */
export class ToolRouter {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  list(params: JsonObject): Promise<JsonObject> {
    return listTools(this.#session, params.cursor);
  }

  async call(name: string, params: JsonObject, exchange: ClientRequest): Promise<JsonObject> {
    const own = PML_TOOLS.find((tool) => tool.name === name || tool.name === name.replace(':', '_'));
    if (own) return this.#callOwn(own, params, exchange);
    const entry = this.#lookup(name) ?? (await this.#lookupAgain(name));
    if (entry) return this.#callServer(entry, params, exchange);
    return this.#answered(async () => {
      const capability = await this.#session.workspace.names.find(this.#session.who, name);
      return capability ? this.#callCapability(capability, params, exchange) : this.#unknown(name);
    });
  }

  /** What a tool promises of its structured content. */
  outputSchemaOf(name: string): unknown {
    return this.#directory().tools.lookup(name)?.listed.outputSchema;
  }

  #directory(): Directory {
    return this.#session.workspace.directoryOf(this.#session);
  }

  #lookup(name: string): DirectoryEntry | undefined {
    try {
      return this.#directory().tools.lookup(name);
    } catch (error) {
      if (!(error instanceof PmlError)) throw error;
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.message, { code: error.code });
    }
  }

  /** A server that is still starting for the first time may yet turn out to have the tool. */
  async #lookupAgain(name: string): Promise<DirectoryEntry | undefined> {
    await this.#session.workspace.listsReady();
    return this.#lookup(name);
  }

  async #callOwn(tool: PmlTool, params: JsonObject, exchange: ClientRequest): Promise<JsonObject> {
    const { workspace, who, relay } = this.#session;
    const { executor } = workspace;
    // Code may name tools of servers that are still starting for the first time.
    await workspace.listsReady();
    const tools = this.#directory().tools;
    return this.#answered(() =>
      relay.asking(exchange, (call) =>
        tool.call(params.arguments, { workspace, executor, caller: { who, tools, call } }),
      ),
    );
  }

  #callServer(
    { upstream, own }: DirectoryEntry,
    params: JsonObject,
    exchange: ClientRequest,
  ): Promise<JsonObject> {
    const { workspace, who, relay } = this.#session;
    const callee = { server: upstream.name, tool: own };
    const { journal, redactor } = workspace;
    return journaledCall(
      { journal, who, redactor, given: params.arguments },
      callee,
      () => relay.send(upstream, 'tools/call', { ...params, name: own }, exchange),
      ({ isError, resultType }) => (resultType === 'input_required' ? 'unfinished' : !isError),
    ).catch((error) => {
      if (error instanceof PmlError) return plainError(error);
      throw error;
    });
  }

  #callCapability(capability: Callable, params: JsonObject, exchange: ClientRequest): Promise<JsonObject> {
    const { workspace, who, relay } = this.#session;
    const tools = this.#directory().tools;
    return this.#answered(() =>
      relay.asking(exchange, async (call) => {
        const caller = { who, tools, call };
        const value = await workspace.executor.call(capability, params.arguments, caller, workspace);
        return isJsonObject(value) ? answerWith(value) : textOf(value);
      }),
    );
  }

  /** A name in the form of a capability's, of no server's, is most likely a capability that is gone: a model's affair. */
  #unknown(name: string): never {
    const [, namespace] = /^(?:mcp__|cap:)?([\w-]+?)(?:__|:)/.exec(name) ?? [];
    const isServer = this.#session.workspace.config.servers.some((server) => server.name === namespace);
    if (namespace && !isServer) {
      const near = this.#directory().tools.nearest(name);
      const hint = near === undefined ? {} : { hint: `Did you mean "${near}"?` };
      throw new PmlError('capability_not_found', `Capability not found: ${name}`, hint);
    }
    try {
      this.#directory().tools.find(name);
      throw new PmlError('tool_not_found', `Unknown tool: ${name}`);
    } catch (error) {
      const message = [(error as Error).message, this.#notice()].filter(Boolean).join(' ');
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, message, { code: 'tool_not_found' });
    }
  }

  /** A failure as a result. Where servers were not started, most fail for that reason, and say so. */
  async #answered(act: () => Promise<JsonObject>): Promise<JsonObject> {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof PmlError)) throw error;
      const notice = this.#notice();
      if (notice === undefined) return errorAnswer(error);
      const hint = [error.hint, notice].filter(Boolean).join(' ');
      return errorAnswer(new PmlError(error.code, error.message, { hint }));
    }
  }

  #notice(): string | undefined {
    return untrustedNotice(this.#session.workspace.config);
  }
}

/** A server's tool may promise a shape for its structured content, which PML's words about a failure must not break. */
function plainError(error: PmlError): JsonObject {
  const text = error.hint ? `${error.message} ${error.hint}` : error.message;
  return { isError: true, content: [{ type: 'text', text }], _meta: { 'pml/error': { code: error.code } } };
}

function textOf(value: unknown): JsonObject {
  return {
    content: [{ type: 'text', text: typeof value === 'string' ? value : JSON.stringify(value ?? null) }],
  };
}
