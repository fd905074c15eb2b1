import { randomUUID } from 'node:crypto';
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { Directory } from '../../access/index.ts';
import { PmlError } from '../../errors.ts';
import { noteWork } from '../../event-loop-watchdog.ts';
import type { JsonObject } from '../../json.ts';
import type { Principal } from '../../principal.ts';
import type { Upstream } from '../../upstream/index.ts';
import { type ListName, LOG_LEVELS, type Member } from '../../workspace/index.ts';
import type { ClientRequest } from './client-request.ts';
import type { Gateway } from './gateway.ts';
import { pageOf } from './pages.ts';
import { Relay } from './relay.ts';
import { ResourceSubscriptions } from './resource-subscriptions.ts';
import { ToolRouter } from './tool-router.ts';

/** Sends a session's client the notifications that belong to none of its requests. */
export interface NotificationSink {
  listChanged(list: ListName): void;
  resourceUpdated(uri: string, params: JsonObject): void;
}

export interface SessionOptions {
  who: Principal;
  notifications: NotificationSink;
  /** False where one session stands for many clients that the protocol does not tell apart. */
  isOneClient?: boolean;
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

/** One client at work in a workspace: answers its requests by PML's own tools, the capabilities and the servers. */
export class Session implements Member {
  readonly who: Principal;
  readonly subscriptions: ResourceSubscriptions;
  readonly tools: ToolRouter;
  readonly #id: string = randomUUID();
  readonly #gateway: Gateway;
  readonly #notifications: NotificationSink;
  readonly #relay: Relay;

  private constructor(gateway: Gateway, { who, notifications, isOneClient = true }: SessionOptions) {
    const { suspended } = gateway;
    const directory = () => this.#directory();
    this.who = who;
    this.#gateway = gateway;
    this.#notifications = notifications;
    this.#relay = new Relay({ session: this.#id, isOneClient, suspended });
    this.tools = new ToolRouter({ gateway, who, relay: this.#relay, directory });
    this.subscriptions = new ResourceSubscriptions((uri) => directory().resource(uri));
  }

  /** Opens a session, which joins the gateway's workspace. */
  static open(gateway: Gateway, options: SessionOptions): Session {
    const session = new Session(gateway, options);
    gateway.workspace.join(session);
    return session;
  }

  get logLevel(): string | undefined {
    return this.#relay.logLevel;
  }

  async answer(method: string, params: JsonObject, request: ClientRequest): Promise<JsonObject> {
    noteWork(method, typeof params.name === 'string' ? params.name : '');
    switch (method) {
      case 'tools/list':
        await this.#listsReady();
        return this.tools.list(params);
      case 'tools/call':
        return this.tools.call(stringOf(params, 'name'), params, request);
      case 'prompts/list':
        await this.#listsReady();
        return this.#list('prompts', this.#directory().prompts.entries, 'name', params);
      case 'prompts/get':
        return this.#getPrompt(params, request);
      case 'resources/list':
        await this.#listsReady();
        return this.#list('resources', this.#directory().resources, 'uri', params);
      case 'resources/templates/list':
        await this.#listsReady();
        return this.#list('resourceTemplates', this.#directory().templates, 'uriTemplate', params);
      case 'resources/read':
        return this.#readResource(params, request);
      case 'resources/subscribe':
        await this.subscriptions.add(this.#id, stringOf(params, 'uri'));
        return {};
      case 'resources/unsubscribe':
        await this.subscriptions.drop(this.#id, [stringOf(params, 'uri')]);
        return {};
      case 'completion/complete':
        return this.#complete(params, request);
      case 'logging/setLevel':
        return this.#setLogLevel(stringOf(params, 'level'));
      default:
        throw new ProtocolError(ProtocolErrorCode.MethodNotFound, `Method not found: ${method}`);
    }
  }

  listChanged(list: ListName): void {
    this.#notifications.listChanged(list);
  }

  resourceUpdated(upstream: Upstream, ownUri: string, params: JsonObject): void {
    for (const uri of this.subscriptions.subscribedUris(upstream, ownUri)) {
      this.#notifications.resourceUpdated(uri, { ...params, uri });
    }
  }

  async close(): Promise<void> {
    await this.subscriptions.close();
    this.#gateway.suspended.abandonAll(this.#id);
    await this.#gateway.workspace.leave(this);
  }

  #directory(): Directory {
    return this.#gateway.workspace.directoryOf(this);
  }

  #listsReady(): Promise<void> {
    return this.#gateway.workspace.listsReady();
  }

  #list(key: string, entries: Parameters<typeof pageOf>[0], id: string, params: JsonObject): JsonObject {
    const { items, ...rest } = pageOf(entries, id, params.cursor);
    return { [key]: items, ...rest };
  }

  async #getPrompt(params: JsonObject, request: ClientRequest): Promise<JsonObject> {
    const { upstream, own } = await this.#find(() =>
      this.#directory().prompts.find(stringOf(params, 'name')),
    );
    return this.#relay.send(upstream, 'prompts/get', { ...params, name: own }, request);
  }

  async #readResource(params: JsonObject, request: ClientRequest): Promise<JsonObject> {
    const uri = stringOf(params, 'uri');
    const found = await this.#find(() => {
      const hit = this.#directory().resource(uri);
      if (!hit) throw new PmlError('resource_not_found', `Resource not found: ${uri}`);
      return hit;
    });
    const ownParams = { ...params, uri: found.uri };
    const result = await this.#relay.send(found.upstream, 'resources/read', ownParams, request);
    return found.uri === uri ? result : withUri(result, found.uri, uri);
  }

  async #complete(params: JsonObject, request: ClientRequest): Promise<JsonObject> {
    const ref = (params.ref ?? {}) as JsonObject;
    if (ref.type === 'ref/prompt') {
      const { upstream, own } = await this.#find(() => this.#directory().prompts.find(stringOf(ref, 'name')));
      const ownParams = { ...params, ref: { ...ref, name: own } };
      return this.#relay.send(upstream, 'completion/complete', ownParams, request);
    }
    const uri = stringOf(ref, 'uri');
    const template = this.#directory().templates.find(({ listed }) => listed.uriTemplate === uri);
    const found = template
      ? { upstream: template.upstream, uri: template.own }
      : this.#directory().resource(uri);
    if (!found) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Resource not found: ${uri}`);
    const ownParams = { ...params, ref: { ...ref, uri: found.uri } };
    return this.#relay.send(found.upstream, 'completion/complete', ownParams, request);
  }

  #setLogLevel(level: string): JsonObject {
    if (!LOG_LEVELS.includes(level)) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Invalid log level: ${level}`);
    }
    this.#relay.logLevel = level;
    this.#gateway.workspace.forwardLogLevel();
    return {};
  }

  /** Tries again once the first lists are there: a server that is still starting may have what is asked for. */
  async #find<T>(find: () => T): Promise<T> {
    try {
      return find();
    } catch {
      await this.#listsReady();
    }
    try {
      return find();
    } catch (error) {
      if (!(error instanceof PmlError)) throw error;
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.message, { code: error.code });
    }
  }
}

/** Puts the URI that the client asked for back into the contents: the server knows the resource by its own. */
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
