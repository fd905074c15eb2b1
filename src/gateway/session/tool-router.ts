import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { DirectoryEntry } from '../../access/index.ts';
import { noServersNotice, untrustedNotice } from '../../config/index.ts';
import { PmlError } from '../../errors.ts';
import { type Caller, type Presented, plainValueOf, type ReadRegistry } from '../../execute/index.ts';
import { isJsonObject, type JsonObject } from '../../json.ts';
import type { SessionCalls } from '../../learning/index.ts';
import { userOf } from '../../principal.ts';
import { type Callable, fromShort } from '../../registry/index.ts';
import { retiredHint } from '../../registry/names/index.ts';
import { journaledCall } from '../../runs/index.ts';
import type { CallContext } from '../../upstream/index.ts';
import { withTimeout } from '../../with-timeout.ts';
import { capabilityId, type Member, toolId } from '../../workspace/index.ts';
import {
  discoverTool,
  errorAnswer,
  executeTool,
  type PmlTool,
  READ_TOOLS,
  structuredAnswer,
  type ToolContext,
} from '../tools/index.ts';
import type { ClientRequest } from './client-request.ts';
import { DeclaredOutputs } from './declared-outputs.ts';
import type { Gateway } from './gateway.ts';
import { journalOwnCall } from './journal-own-call.ts';
import { listTools } from './list-tools.ts';
import { namesServer } from './named-servers.ts';
import type { Relay } from './relay.ts';
import type { SessionOffer } from './session-offer.ts';
import { UsedIds } from './used-ids.ts';

export interface ToolRouterOptions {
  gateway: Gateway;
  /** The session, as its workspace knows it. */
  member: Member;
  relay: Relay;
  /** The tools that the session offers its client: everything it reaches, or one part of its agent. */
  offer: SessionOffer;
  /** False where one session stands for many clients. */
  isOneClient: boolean;
}

/** Lists and calls all tools of a session: PML's own, the servers' and the capabilities. */
export class ToolRouter {
  readonly #options: ToolRouterOptions;
  readonly #toldOutputs: DeclaredOutputs;
  /** Learns from the calls that go to servers; undefined if the config does not want that. */
  readonly #plainCalls: SessionCalls | undefined;
  readonly #used = new UsedIds();

  constructor(options: ToolRouterOptions) {
    const { gateway, member, offer } = options;
    const { config, redactor } = gateway.workspace;
    const tools = () => offer.reach().tools;
    this.#options = options;
    this.#toldOutputs = new DeclaredOutputs(options);
    // Recurring calls are learned for the user, not for the agent, as is the code that an agent runs.
    this.#plainCalls = gateway.resources.plainCalls.open({
      who: userOf(member.who),
      config,
      redactor,
      tools,
    });
  }

  close(): void {
    this.#plainCalls?.close();
  }

  async list({ cursor }: JsonObject): Promise<JsonObject> {
    const { gateway, member, offer } = this.#options;
    const { who } = member;
    const { workspace, resources } = gateway;
    await offer.listsReady();
    const { config, unlistedServers, ownTools, listsCapabilities } = offer;
    const own = { ownTools, listsCapabilities, toldOutputs: this.#toldOutputs };
    const tools = () => offer.directory().tools;
    const callable = () => offer.reach().tools;
    const { redactor } = workspace;
    return listTools(
      { db: resources.db, config, redactor, who, tools, callable, unlistedServers, ...own },
      cursor,
    );
  }

  /** Calls a tool by name. PML's own tools come first, then servers' tools, then capabilities. */
  async call(name: string, params: JsonObject, request: ClientRequest): Promise<JsonObject> {
    const { ownTools } = this.#options.offer;
    const own = ownTools.find((tool) => tool.name === name || tool.name === name.replace(':', '_'));
    if (own) return this.#callOwn(own, params, request);
    const entry = this.#lookup(name) ?? (await this.#lookupAgain(name, request));
    if (entry) return this.#callServer(entry, params, request);
    return this.#errorsAsAnswers(async () => {
      const capability = await this.#findCapability(name);
      return capability ? this.#callCapability(name, capability, params, request) : this.#refuseUnknown(name);
    });
  }

  /** Finds a capability by any spelling. With short listed names, the short reading comes first. */
  async #findCapability(name: string): Promise<Callable | undefined> {
    const { gateway, member, offer } = this.#options;
    const { who } = member;
    if (!offer.listsCapabilities) return undefined;
    const { names } = gateway.resources;
    const listed = gateway.workspace.config.names.listed === 'short' ? fromShort(name) : undefined;
    const byListed = listed === undefined ? undefined : await names.find(who, listed);
    return byListed ?? names.find(who, name);
  }

  #lookup(name: string): DirectoryEntry | undefined {
    try {
      return this.#options.offer.directory().tools.lookup(name);
    } catch (error) {
      if (!(error instanceof PmlError)) throw error;
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.message, { code: error.code });
    }
  }

  /** Looks again after the first lists, then after the list of the server in the name, which may still be starting. */
  async #lookupAgain(name: string, { signal }: ClientRequest): Promise<DirectoryEntry | undefined> {
    await this.#options.offer.listsReady();
    const found = this.#lookup(name);
    if (found) return found;
    const named = serverNamedIn(name);
    await this.#serversListed((server) => server === named, signal);
    return this.#lookup(name);
  }

  /**
   * Waits for the servers that a call needs. Code waits for the servers it names, all other tools for the first lists. A search
   * then waits for the server it names, too; a person's search without one waits for all: nobody tells a person to search again.
   */
  async #serversNeeded(tool: PmlTool, args: unknown, { signal }: ClientRequest): Promise<void> {
    const { code, server } = isJsonObject(args) ? args : {};
    if (tool.name === executeTool.name && typeof code === 'string')
      return withTimeout(this.#serversListed(namesServer(args), signal), NEEDED_SERVERS_MS);
    await this.#options.offer.listsReady();
    if (tool.name !== discoverTool.name) return;
    const { person } = this.#options.member.who;
    const isNeeded = (name: string) => (server === undefined ? person === true : name === server);
    await withTimeout(this.#serversListed(isNeeded, signal), NEEDED_SERVERS_MS);
  }

  #serversListed(isWanted: (server: string) => boolean, signal: AbortSignal): Promise<void> {
    const { gateway, member } = this.#options;
    return gateway.workspace.serversListed(member, isWanted, signal);
  }

  /** Returns why a tool cannot be found, if that is because its server is not available. */
  #whyMissing(name: string): PmlError | undefined {
    const { gateway, member } = this.#options;
    return gateway.workspace.whyMissing(member, name);
  }

  async #callOwn(tool: PmlTool, params: JsonObject, request: ClientRequest): Promise<JsonObject> {
    const { gateway, relay } = this.#options;
    const { resources } = gateway;
    const { journal } = resources;
    this.#plainCalls?.interrupt();
    await this.#serversNeeded(tool, params.arguments, request);
    return this.#errorsAsAnswers(() =>
      relay.runInteractive(request, async (call) => {
        const caller = this.#callerOf(call, request);
        const act = () => tool.call(params.arguments, this.#contextOf(caller));
        const answer = await journalOwnCall(journal, caller.who, tool.name, act);
        this.#noteUses(answer.structuredContent);
        return answer;
      }),
    );
  }

  /** Notes the tools and the capability that a run used. */
  #noteUses(answer: unknown): void {
    const { toolsUsed, capabilityFqdn } = isJsonObject(answer) ? answer : {};
    if (Array.isArray(toolsUsed)) for (const name of toolsUsed) this.#used.add(`tool:${name}`);
    if (typeof capabilityFqdn === 'string') this.#used.add(capabilityId(capabilityFqdn));
  }

  #callServer(entry: DirectoryEntry, params: JsonObject, request: ClientRequest): Promise<JsonObject> {
    const { upstream, own } = entry;
    this.#used.add(toolId(entry));
    const { gateway, member, relay } = this.#options;
    const { who } = member;
    const { journal } = gateway.resources;
    const { redactor } = gateway.workspace;
    const observed = this.#plainCalls?.begin(`${upstream.name}:${own}`, params.arguments);
    return journaledCall(
      { journal, who, redactor, given: params.arguments },
      { server: upstream.name, tool: own },
      () => relay.send(upstream, 'tools/call', { ...params, name: own }, request),
      ({ isError, resultType }) => (resultType === 'input_required' ? 'unfinished' : !isError),
    ).then(
      (result) => {
        observed?.ended(result);
        if (observed) this.#noteOutput(entry, result);
        return result;
      },
      (error) => {
        observed?.ended(undefined);
        if (error instanceof PmlError) return plainErrorAnswer(error);
        throw error;
      },
    );
  }

  /** Notes the shape of a tool's result, as code would see it. */
  #noteOutput({ upstream, own, listed }: DirectoryEntry, result: JsonObject): void {
    const { gateway, member } = this.#options;
    const { who } = member;
    const { redactor } = gateway.workspace;
    if (upstream.server.ofAgent || result.isError || result.resultType === 'input_required') return;
    gateway.resources.outputs.tools.note(who, { server: upstream.name, tool: own, listed }, redactor, () =>
      textLength(result) > MAX_PARSED ? undefined : plainValueOf(result),
    );
  }

  #callCapability(
    name: string,
    capability: Callable,
    params: JsonObject,
    request: ClientRequest,
  ): Promise<JsonObject> {
    const { gateway, relay } = this.#options;
    const { config, redactor } = gateway.workspace;
    const { executor } = gateway.resources;
    this.#plainCalls?.interrupt();
    this.#used.add(capabilityId(capability.fqdn));
    return this.#errorsAsAnswers(() =>
      relay.runInteractive(request, async (call) => {
        const caller = this.#callerOf(call, request);
        const settings = { config, redactor };
        const presented = await executor.call(capability, params.arguments, caller, settings);
        const notes = await executor.pointOutUnnamed(capability, caller);
        const warnings = [...presented.warnings, ...notes];
        const answer = await this.#answerOf(name, capability, { ...presented, warnings });
        return presented.isCached ? { ...answer, _meta: { 'pml/cached': true } } : answer;
      }),
    );
  }

  /** Answers with the result as text, and with structured content that fits what the client was told under this name. */
  async #answerOf(
    name: string,
    capability: Callable,
    { result: value, media, warnings }: Presented,
  ): Promise<JsonObject> {
    const { outputs } = this.#options.gateway.resources;
    const isForgotten = this.#toldOutputs.mayHaveForgotten(name);
    const remembered = isForgotten ? await outputs.declared(capability) : undefined;
    const structured = this.#toldOutputs.fit(name, value, remembered);
    const content = [...warnings.map((text) => ({ type: 'text', text })), ...media];
    if (structured === undefined) return textAnswer(value, content);
    return structured === value
      ? structuredAnswer(structured, content)
      : { ...textAnswer(value, content), structuredContent: structured };
  }

  #callerOf(call: CallContext, { runId }: ClientRequest): Caller {
    const { member, offer } = this.#options;
    const whyMissing = (name: string) => this.#whyMissing(name);
    const caller: Caller = { who: member.who, tools: offer.reach().tools, call, whyMissing, runId };
    const readRegistry: ReadRegistry = (read, input) =>
      readWithTool(READ_TOOLS[read], input, this.#contextOf(caller));
    return { ...caller, readRegistry };
  }

  #contextOf(caller: Caller): ToolContext {
    const { redactor, search } = this.#options.gateway.workspace;
    const { config, unlistedServers } = this.#options.offer;
    const { db, keys, journal, log, executor, outputs } = this.#options.gateway.resources;
    const toolOutputs = outputs.tools;
    const models = this.#options.gateway.models.get(caller.who.user) ?? {};
    const usedBefore = this.#used.ids;
    const { gateway, member } = this.#options;
    const startingServers = () => gateway.workspace.startingServers(member);
    const settings = { config, models, redactor, unlistedServers, startingServers };
    const searching = { caller, search, usedBefore, toolOutputs };
    return { ...settings, db, keys, journal, log, executor, ...searching };
  }

  /**
   * Refuses an unknown name. If its server is down, or its namespace is no server's (probably a capability that is gone), the
   * model can act on that, so the refusal is a tool result. Everything else is a protocol error.
   */
  async #refuseUnknown(name: string): Promise<JsonObject> {
    const why = this.#whyMissing(name);
    if (why) return plainErrorAnswer(why);
    const { tools } = this.#options.offer.directory();
    const { servers } = this.#options.offer.config;
    const namespace = serverNamedIn(name);
    if (namespace && !servers.some((server) => server.name === namespace)) {
      const { gateway, member } = this.#options;
      const near = tools.nearest(name);
      const similar = near === undefined ? undefined : `Did you mean "${near}"?`;
      const hint = (await retiredHint(gateway.resources.db, member.who, name)) ?? similar;
      throw new PmlError('capability_not_found', `Capability not found: ${name}`, { ...(hint && { hint }) });
    }
    try {
      tools.find(name);
      throw new PmlError('tool_not_found', `Unknown tool: ${name}`);
    } catch (error) {
      const message = [(error as Error).message, this.#notice(error as PmlError)].filter(Boolean).join(' ');
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, message, { code: 'tool_not_found' });
    }
  }

  /** Returns a failure as a result. Where no servers were started, that is the likely cause, and the hint says so. */
  async #errorsAsAnswers(act: () => Promise<JsonObject>): Promise<JsonObject> {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof PmlError)) throw error;
      const notice = this.#notice(error);
      if (notice === undefined) return errorAnswer(error);
      const hint = [error.hint, notice].filter(Boolean).join(' ');
      return errorAnswer(new PmlError(error.code, error.message, { hint }));
    }
  }

  #notice({ code }: PmlError): string | undefined {
    const { config } = this.#options.gateway.workspace;
    return untrustedNotice(config) ?? (NOT_FOUND.has(code) ? noServersNotice(config) : undefined);
  }
}

const NOT_FOUND: ReadonlySet<string> = new Set(['tool_not_found', 'capability_not_found']);
/** A call waits this long for the servers that it needs to be listed for the first time. */
const NEEDED_SERVERS_MS = 20_000;
/** Longer texts, in characters, are not parsed for their shape. */
const MAX_PARSED = 256 * 1024;

function textLength({ content }: JsonObject): number {
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  return blocks.reduce<number>(
    (sum, block) => sum + (isJsonObject(block) && typeof block.text === 'string' ? block.text.length : 0),
    0,
  );
}

/** Returns the namespace of a name: `fs` of `fs:read` and `mcp__fs__read`. */
function serverNamedIn(name: string): string | undefined {
  return /^(?:mcp__|cap:)?([\w-]+?)(?:__|:)/.exec(name)?.[1];
}

async function readWithTool(tool: PmlTool, input: unknown, context: ToolContext): Promise<unknown> {
  const { structuredContent } = await tool.call(input, context);
  return structuredContent;
}

/** Answers without structured content: a server's tool may declare a schema for it, which an error would not fit. */
function plainErrorAnswer(error: PmlError): JsonObject {
  const text = error.hint ? `${error.message} ${error.hint}` : error.message;
  return { isError: true, content: [{ type: 'text', text }], _meta: { 'pml/error': { code: error.code } } };
}

function textAnswer(value: unknown, more: readonly JsonObject[]): JsonObject {
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? null);
  return { content: [{ type: 'text', text }, ...more] };
}
