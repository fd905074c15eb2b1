import { randomUUID } from 'node:crypto';
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { Directory } from '../access/index.ts';
import { messageOf, PmlError } from '../errors.ts';
import type { Principal } from '../principal.ts';
import type { CallContext, Listed, Upstream } from '../upstream/index.ts';
import { ENVELOPE, type Exchange, withoutServerInfo } from './exchange.ts';
import { page } from './pages.ts';
import { SuspendedCalls } from './questions.ts';
import { Watches } from './watches.ts';
import type { Workspace } from './workspace.ts';

export type Change = 'tools' | 'prompts' | 'resources';

/** How a session's client hears what nobody asked for. */
export interface Listener {
  listChanged(change: Change): void;
  resourceUpdated(uri: string, params: Listed): void;
}

const LOG_LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

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
  readonly watches: Watches;
  /** False where one session stands for many clients that the protocol does not tell apart. */
  readonly #oneClient: boolean;
  #logLevel: string | undefined;

  constructor(workspace: Workspace, who: Principal, listener: Listener, oneClient: boolean) {
    this.workspace = workspace;
    this.who = who;
    this.listener = listener;
    this.#oneClient = oneClient;
    this.watches = new Watches((uri) => this.#directory().resource(uri));
  }

  get logLevel(): string | undefined {
    return this.#logLevel;
  }

  async answer(method: string, params: Listed, exchange: Exchange): Promise<Listed> {
    switch (method) {
      case 'tools/list':
        await this.workspace.listsReady();
        return this.#list('tools', this.#exposedTools(), 'name', params);
      case 'tools/call':
        return this.#callTool(params, exchange);
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
        await this.watches.add(this.id, [stringOf(params, 'uri')]);
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

  /** What a tool promises of its structured content. */
  outputSchemaOf(tool: string): unknown {
    return this.#directory().tools.find(tool).listed.outputSchema;
  }

  async close(): Promise<void> {
    await this.watches.close();
    await this.workspace.leave(this);
  }

  #directory(): Directory {
    return this.workspace.directoryOf(this);
  }

  #exposedTools() {
    return this.workspace.config.expose.upstream === 'all' ? this.#directory().tools.entries : [];
  }

  #list(key: string, entries: Parameters<typeof page>[0], id: string, params: Listed): Listed {
    const { items, ...rest } = page(entries, id, params.cursor);
    return { [key]: items, ...rest };
  }

  async #callTool(params: Listed, exchange: Exchange): Promise<Listed> {
    const { upstream, own } = await this.#found(() => this.#directory().tools.find(stringOf(params, 'name')));
    const started = performance.now();
    const record = (success: boolean, error?: string) =>
      this.workspace.journal.record({
        server: upstream.name,
        tool: own,
        who: this.who,
        success,
        durationMs: performance.now() - started,
        error,
      });
    try {
      const result = await this.#relay(upstream, 'tools/call', { ...params, name: own }, exchange);
      if (result.resultType !== 'input_required') record(!result.isError);
      return result;
    } catch (error) {
      record(false, messageOf(error));
      if (error instanceof PmlError) return errorResult(error);
      throw error;
    }
  }

  async #getPrompt(params: Listed, exchange: Exchange): Promise<Listed> {
    const { upstream, own } = await this.#found(() =>
      this.#directory().prompts.find(stringOf(params, 'name')),
    );
    return this.#relay(upstream, 'prompts/get', { ...params, name: own }, exchange);
  }

  async #readResource(params: Listed, exchange: Exchange): Promise<Listed> {
    const uri = stringOf(params, 'uri');
    const found = await this.#found(() => {
      const hit = this.#directory().resource(uri);
      if (!hit) throw new PmlError('resource_not_found', `Resource not found: ${uri}`);
      return hit;
    });
    return this.#relay(found.upstream, 'resources/read', { ...params, uri: found.uri }, exchange);
  }

  async #complete(params: Listed, exchange: Exchange): Promise<Listed> {
    const ref = (params.ref ?? {}) as Listed;
    if (ref.type === 'ref/prompt') {
      const { upstream, own } = await this.#found(() =>
        this.#directory().prompts.find(stringOf(ref, 'name')),
      );
      return this.#relay(
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
    return this.#relay(found.upstream, 'completion/complete', params2, exchange);
  }

  async #setLogLevel(level: string): Promise<Listed> {
    if (!LOG_LEVELS.includes(level)) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Invalid log level: ${level}`);
    }
    this.#logLevel = level;
    await this.workspace.forwardLogLevel(LOG_LEVELS, this);
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

  async #relay(upstream: Upstream, method: string, params: Listed, exchange: Exchange): Promise<Listed> {
    const { suspended } = this.workspace;
    const { era, signal, state, answers } = exchange;
    if (SuspendedCalls.isOurs(state)) return suspended.resume(this.id, state, answers ?? {}, signal);
    const call = this.#contextOf(exchange);
    const modernServer = (await upstream.ready(signal)) === 'modern';
    const sent = modernServer ? { ...params, _meta: this.#envelope(params, exchange) } : params;
    if (era === 'legacy') {
      return withoutServerInfo(await upstream.request(method, sent, { ...call, signal, ask: exchange.ask }));
    }
    if (modernServer) {
      const retried = {
        ...sent,
        ...(answers && { inputResponses: answers }),
        ...(state !== undefined && { requestState: state }),
      };
      const context = { ...call, signal, handsBackQuestions: true };
      return withoutServerInfo(await upstream.request(method, retried, context));
    }
    const attempt = (asked: Pick<CallContext, 'ask' | 'signal'>) =>
      upstream.request(method, params, {
        ...call,
        ...(asked.signal && { signal: asked.signal }),
        ask: async (question) => {
          exchange.assertCanAnswer(question);
          return (asked.ask as NonNullable<CallContext['ask']>)(question);
        },
      });
    return suspended.start(this.id, attempt, signal);
  }

  /** A modern server hears what this very client can do, not what PML could. */
  #envelope(params: Listed, exchange: Exchange): Listed {
    const level = exchange.logLevel ?? this.#logLevel;
    return {
      ...metaOf(params),
      [ENVELOPE.capabilities]: exchange.capabilities,
      ...(level !== undefined && { [ENVELOPE.logLevel]: level }),
    };
  }

  #contextOf(exchange: Exchange): CallContext {
    const { progressToken } = exchange;
    return {
      session: this.#oneClient ? this.id : randomUUID(),
      ...(progressToken !== undefined && {
        onprogress: (progress: Listed) =>
          exchange.notify('notifications/progress', { ...progress, progressToken }),
      }),
      notify: (method, params) => {
        if (method !== 'notifications/message' || this.#wantsLog(params, exchange))
          exchange.notify(method, params);
      },
    };
  }

  #wantsLog(params: Listed | undefined, exchange: Exchange): boolean {
    // A modern client that names no level wants no log; an older one gets everything until it names one.
    const threshold = exchange.era === 'modern' ? (exchange.logLevel ?? 'none') : (this.#logLevel ?? 'debug');
    if (threshold === 'none') return false;
    return LOG_LEVELS.indexOf(String(params?.level)) >= LOG_LEVELS.indexOf(threshold);
  }
}

/** A failure as a tool's result, so that the model reads what went wrong and what to do. */
function errorResult(error: PmlError): Listed {
  const text = error.hint ? `${error.message} ${error.hint}` : error.message;
  return { isError: true, content: [{ type: 'text', text }], _meta: { 'pml/error': { code: error.code } } };
}

function stringOf(params: Listed, key: string): string {
  const value = params[key];
  if (typeof value !== 'string') {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Invalid params: "${key}" must be a string`);
  }
  return value;
}

function metaOf(params: Listed): Listed {
  return typeof params._meta === 'object' && params._meta !== null ? (params._meta as Listed) : {};
}
