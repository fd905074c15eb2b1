import { randomUUID } from 'node:crypto';
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { noteWork } from '../../event-loop-watchdog.ts';
import type { JsonObject } from '../../json.ts';
import type { Principal } from '../../principal.ts';
import type { Upstream } from '../../upstream/index.ts';
import { type AgentScope, type ListName, LOG_LEVELS, type Member } from '../../workspace/index.ts';
import type { ClientRequest } from './client-request.ts';
import type { Gateway } from './gateway.ts';
import { stringParam } from './params.ts';
import { PromptsAndResources } from './prompts-and-resources.ts';
import { Relay } from './relay.ts';
import { ResourceSubscriptions } from './resource-subscriptions.ts';
import { offerOf } from './session-offer.ts';
import { ToolRouter } from './tool-router.ts';

/** Sends a session's client the notifications that belong to none of its requests. */
export interface NotificationSink {
  listChanged(list: ListName): void;
  resourceUpdated(uri: string, params: JsonObject): void;
}

/** Who a client is: a principal, or an agent of the principal's config, or one part of that agent. */
export interface SessionIdentity {
  who: Principal;
  agent?: AgentScope | undefined;
  part?: string | undefined;
}

export interface SessionOptions extends SessionIdentity {
  notifications: NotificationSink;
  /** False where one session stands for many clients that the protocol does not tell apart. */
  isOneClient?: boolean;
}

/** The methods that `Session.answer` knows. */
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

/** The session of one client in a workspace. It answers the client's requests and sends it notifications. */
export class Session implements Member {
  readonly who: Principal;
  readonly agent: AgentScope | undefined;
  readonly part: string | undefined;
  readonly tools: ToolRouter;
  readonly subscriptions: ResourceSubscriptions;
  readonly #id: string = randomUUID();
  readonly #gateway: Gateway;
  readonly #notifications: NotificationSink;
  readonly #relay: Relay;
  readonly #promptsAndResources: PromptsAndResources;

  private constructor(
    gateway: Gateway,
    { who, agent, part, notifications, isOneClient = true }: SessionOptions,
  ) {
    const { workspace, suspended } = gateway;
    const relay = new Relay({ session: this.#id, isOneClient, suspended });
    this.who = agent?.who ?? who;
    this.agent = agent;
    this.part = part;
    const offer = offerOf(workspace, this);
    const { listsReady } = offer;
    const directory = () => offer.directory();
    this.#gateway = gateway;
    this.#notifications = notifications;
    this.#relay = relay;
    this.tools = new ToolRouter({ gateway, member: this, relay, offer, isOneClient });
    this.#promptsAndResources = new PromptsAndResources({ relay, directory, listsReady });
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
        return this.tools.list(params);
      case 'tools/call':
        return this.tools.call(stringParam(params, 'name'), params, request);
      case 'prompts/list':
        return this.#promptsAndResources.listPrompts(params);
      case 'prompts/get':
        return this.#promptsAndResources.getPrompt(params, request);
      case 'resources/list':
        return this.#promptsAndResources.listResources(params);
      case 'resources/templates/list':
        return this.#promptsAndResources.listTemplates(params);
      case 'resources/read':
        return this.#promptsAndResources.readResource(params, request);
      case 'resources/subscribe':
        await this.subscriptions.add(this.#id, stringParam(params, 'uri'));
        return {};
      case 'resources/unsubscribe':
        await this.subscriptions.drop(this.#id, [stringParam(params, 'uri')]);
        return {};
      case 'completion/complete':
        return this.#promptsAndResources.complete(params, request);
      case 'logging/setLevel':
        return this.#setLogLevel(stringParam(params, 'level'));
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
    this.tools.close();
    await this.subscriptions.close();
    this.#gateway.suspended.abandonAll(this.#id);
    await this.#gateway.workspace.leave(this);
  }

  #setLogLevel(level: string): JsonObject {
    if (!LOG_LEVELS.includes(level)) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Invalid log level: ${level}`);
    }
    this.#relay.logLevel = level;
    this.#gateway.workspace.forwardLogLevel();
    return {};
  }
}
