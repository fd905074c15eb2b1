import { ProtocolError } from '@modelcontextprotocol/server';
import type { Directory } from '../../access/index.ts';
import { PmlError } from '../../errors.ts';
import type { JsonObject } from '../../json.ts';
import type { Principal } from '../../principal.ts';
import { answerOf } from '../../tool-client.ts';
import type { Upstream } from '../../upstream/index.ts';
import type { ServerSummary } from '../../workspace/index.ts';
import { identify } from './client-identity.ts';
import { assertCapable, type ClientRequest } from './client-request.ts';
import type { Gateway } from './gateway.ts';
import { Session } from './session.ts';

/** The members that are always there: this session, and the one that stands for all modern clients over HTTP. */
const STANDING_MEMBERS = 2;

export interface LocalCall {
  signal: AbortSignal;
  /** The id that the run is to have, if the call runs code or a capability. */
  runId?: string;
}

/** A client of the gateway in this process, such as the dashboard. It calls what every MCP client calls. */
export class LocalClient {
  readonly #gateway: Gateway;
  readonly #session: Session;

  private constructor(gateway: Gateway, session: Session) {
    this.#gateway = gateway;
    this.#session = session;
  }

  /** Opens a session, which starts the servers that sessions do not share. */
  static open(gateway: Gateway, who: Principal): LocalClient {
    const notifications = { listChanged: () => {}, resourceUpdated: () => {} };
    const session = Session.open(gateway, { ...identify(gateway, who, {}), notifications });
    return new LocalClient(gateway, session);
  }

  /** All tools that it can call. */
  get directory(): Directory {
    return this.#gateway.workspace.directoryOf(this.#session);
  }

  /** The servers that it reaches. */
  get upstreams(): readonly Upstream[] {
    return this.#gateway.workspace.upstreamsOf(this.#session);
  }

  /** All servers of the config, with their state. */
  get servers(): ServerSummary[] {
    return this.#gateway.workspace.serversOf(undefined, this.#session);
  }

  /** True if other clients are connected, too. */
  get othersConnected(): boolean {
    return this.#gateway.workspace.members.size > STANDING_MEMBERS;
  }

  /** Settles once its servers have listed their tools, or timed out. */
  listsReady(): Promise<void> {
    return this.#gateway.workspace.listsReady(this.#session);
  }

  /** Calls any tool, and returns its result as a client gets it. */
  async call(name: string, args: JsonObject, call: LocalCall): Promise<JsonObject> {
    const params = { name, arguments: args };
    try {
      return await this.#session.answer('tools/call', params, requestOf(call));
    } catch (error) {
      if (error instanceof ProtocolError) throw new PmlError('tool_not_found', error.message);
      throw error;
    }
  }

  /** Calls one of PML's own tools. Throws if it fails. */
  async callOwn(name: string, args: JsonObject, call: LocalCall): Promise<JsonObject> {
    return answerOf(await this.call(name, args, call));
  }

  close(): Promise<void> {
    return this.#session.close();
  }
}

/** Makes the request of a client without capabilities, to which servers can send no requests. */
function requestOf({ signal, runId }: LocalCall): ClientRequest {
  const assertCanAnswer: ClientRequest['assertCanAnswer'] = (question) => assertCapable({}, question);
  return {
    era: 'legacy',
    signal,
    progressToken: undefined,
    logLevel: undefined,
    capabilities: {},
    answers: undefined,
    state: undefined,
    runId,
    notify: () => {},
    ask: async (question) => {
      assertCanAnswer(question);
      return {};
    },
    assertCanAnswer,
  };
}
