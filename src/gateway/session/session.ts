import { randomUUID } from 'node:crypto';
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { Directory } from '../../access/index.ts';
import { PmlError } from '../../errors.ts';
import { noteWork } from '../../event-loop-watchdog.ts';
import type { JsonObject } from '../../json.ts';
import type { Principal } from '../../principal.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import type { ClientRequest } from './client-request.ts';
import { page } from './pages.ts';
import { LOG_LEVELS, Relay } from './relay.ts';
import { ResourceSubscriptions } from './resource-subscriptions.ts';
import { ToolRouter } from './tool-router.ts';

export type Change = 'tools' | 'prompts' | 'resources';

/** How a session's client hears what nobody asked for. */
export interface Listener {
  listChanged(change: Change): void;
  resourceUpdated(uri: string, params: JsonObject): void;
}

export const METHODS: ReadonlySet<string> = new Set([
  'tools/list',
  'tools/call',
  'prompts/list',
  'prompts/get',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'resources/subscribe',
  'resources/unsubscribe',
  'completion/complete',
  'logging/setLevel',
]);

/** One client at work in a workspace: what it may reach, and the answers to its requests. */
export class Session {
  readonly id: string = randomUUID();
  readonly who: Principal;
  readonly workspace: Workspace;
  readonly listener: Listener;
  readonly watches: ResourceSubscriptions;
  readonly relay: Relay;
  readonly tools: ToolRouter;

  constructor(workspace: Workspace, who: Principal, listener: Listener, oneClient: boolean) {
    this.workspace = workspace;
    this.who = who;
    this.listener = listener;
    this.relay = new Relay(this.id, oneClient, workspace.suspended);
    this.tools = new ToolRouter(this);
    this.watches = new ResourceSubscriptions((uri) => this.#directory().resource(uri));
  }

  async answer(method: string, params: JsonObject, exchange: ClientRequest): Promise<JsonObject> {
    noteWork(method, typeof params.name === 'string' ? params.name : '');
    switch (method) {
      case 'tools/list':
        await this.workspace.listsReady();
        return this.tools.list(params);
      case 'tools/call':
        return this.tools.call(stringOf(params, 'name'), params, exchange);
      case 'prompts/list':
        await this.workspace.listsReady();
        return this.#list('prompts', this.#directory().prompts.entries, 'name', params);
      case 'prompts/get':
        return this.#getPrompt(params, exchange);
      case 'resources/list':
        await this.workspace.listsReady();
        return this.#list('resources', this.#directory().resources, 'uri', params);
      case 'resources/templates/list':
        await this.workspace.listsReady();
        return this.#list('resourceTemplates', this.#directory().templates, 'uriTemplate', params);
      case 'resources/read':
        return this.#readResource(params, exchange);
      case 'resources/subscribe':
        await this.watches.add(this.id, stringOf(params, 'uri'));
        return {};
      case 'resources/unsubscribe':
        await this.watches.drop(this.id, [stringOf(params, 'uri')]);
        return {};
      case 'completion/complete':
        return this.#complete(params, exchange);
      case 'logging/setLevel':
        return this.#setLogLevel(stringOf(params, 'level'));
      default:
        throw new ProtocolError(ProtocolErrorCode.MethodNotFound, `Method not found: ${method}`);
    }
  }

  async close(): Promise<void> {
    await this.watches.close();
    await this.workspace.leave(this);
  }

  #directory(): Directory {
    return this.workspace.directoryOf(this);
  }

  #list(key: string, entries: Parameters<typeof page>[0], id: string, params: JsonObject): JsonObject {
    const { items, ...rest } = page(entries, id, params.cursor);
    return { [key]: items, ...rest };
  }

  async #getPrompt(params: JsonObject, exchange: ClientRequest): Promise<JsonObject> {
    const { upstream, own } = await this.#found(() =>
      this.#directory().prompts.find(stringOf(params, 'name')),
    );
    return this.relay.send(upstream, 'prompts/get', { ...params, name: own }, exchange);
  }

  async #readResource(params: JsonObject, exchange: ClientRequest): Promise<JsonObject> {
    const uri = stringOf(params, 'uri');
    const found = await this.#found(() => {
      const hit = this.#directory().resource(uri);
      if (!hit) throw new PmlError('resource_not_found', `Resource not found: ${uri}`);
      return hit;
    });
    const result = await this.relay.send(
      found.upstream,
      'resources/read',
      { ...params, uri: found.uri },
      exchange,
    );
    return found.uri === uri ? result : withUri(result, found.uri, uri);
  }

  async #complete(params: JsonObject, exchange: ClientRequest): Promise<JsonObject> {
    const ref = (params.ref ?? {}) as JsonObject;
    if (ref.type === 'ref/prompt') {
      const { upstream, own } = await this.#found(() =>
        this.#directory().prompts.find(stringOf(ref, 'name')),
      );
      return this.relay.send(
        upstream,
        'completion/complete',
        { ...params, ref: { ...ref, name: own } },
        exchange,
      );
    }
    const uri = stringOf(ref, 'uri');
    const template = this.#directory().templates.find(({ listed }) => listed.uriTemplate === uri);
    const found = template
      ? { upstream: template.upstream, uri: template.own }
      : this.#directory().resource(uri);
    if (!found) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Resource not found: ${uri}`);
    const params2 = { ...params, ref: { ...ref, uri: found.uri } };
    return this.relay.send(found.upstream, 'completion/complete', params2, exchange);
  }

  #setLogLevel(level: string): JsonObject {
    if (!LOG_LEVELS.includes(level)) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Invalid log level: ${level}`);
    }
    this.relay.logLevel = level;
    this.workspace.forwardLogLevel(LOG_LEVELS);
    return {};
  }

  /** A server that is still starting for the first time may yet turn out to have what is asked for. */
  async #found<T>(find: () => T): Promise<T> {
    try {
      return find();
    } catch {
      await this.workspace.listsReady();
    }
    try {
      return find();
    } catch (error) {
      if (!(error instanceof PmlError)) throw error;
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.message, { code: error.code });
    }
  }
}

/** Contents under the URI they were asked for: the server's own may be another server's here. */
function withUri(result: JsonObject, own: string, uri: string): JsonObject {
  const { contents } = result;
  if (!Array.isArray(contents)) return result;
  return { ...result, contents: contents.map((one) => (one?.uri === own ? { ...one, uri } : one)) };
}

function stringOf(params: JsonObject, key: string): string {
  const value = params[key];
  if (typeof value !== 'string') {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Invalid params: "${key}" must be a string`);
  }
  return value;
}
