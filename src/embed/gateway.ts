import type { JsonObject } from '../json.ts';
import { type CallOptions, Calls } from './calls.ts';
import { CapabilityRegistry } from './capability-registry.ts';
import type { McpTransport, SessionOptions } from './connect.ts';

/** Code to run, or a capability to call. */
export interface ExecuteRequest {
  intent: string;
  code?: string;
  capability?: string;
  args?: JsonObject;
  /** The name to remember the code by. */
  name?: string;
  options?: { timeout?: number; remember?: boolean; max_result_bytes?: number };
}

export interface ExecuteAnswer {
  readonly [key: string]: unknown;
  readonly status: string;
  readonly mode: 'direct' | 'capability' | 'suggestion';
  readonly result?: unknown;
  readonly capabilityName?: string;
  /** How to call what was remembered. */
  readonly remembered?: { readonly name: string; readonly tool: string; readonly call: string };
}

export interface Discovered {
  readonly [key: string]: unknown;
  readonly kind: 'tool' | 'capability';
  /** Callable as it stands. */
  readonly name: string;
  readonly description: string;
  readonly score: number;
  /** A line of TypeScript. */
  readonly signature: string;
}

interface Source {
  connect(options: SessionOptions): Promise<McpTransport>;
  url: string | null;
  close(): Promise<void>;
}

/** A gateway, as a program uses it. */
export class Gateway {
  readonly registry: CapabilityRegistry;
  /** Where it serves HTTP for this program; MCP is at `/mcp`. Null if it does not. */
  readonly url: string | null;
  readonly #source: Source;
  readonly #calls: Calls;

  /** Opens a session for its own calls, which also keeps the gateway's process from ending as unused. */
  static async open(source: Source): Promise<Gateway> {
    const gateway = new Gateway(source);
    await gateway.#calls.open();
    return gateway;
  }

  private constructor(source: Source) {
    this.#source = source;
    this.url = source.url;
    this.#calls = new Calls(() => source.connect({}));
    this.registry = new CapabilityRegistry((tool, args) => this.call(tool, args));
  }

  /** Opens a session for a client of an MCP SDK. Each client needs its own. */
  connect(options: SessionOptions = {}): Promise<McpTransport> {
    return this.#source.connect(options);
  }

  /** Calls any tool, of a server, a capability or PML's own, by any spelling of its name. */
  call(tool: string, args: JsonObject = {}, options: CallOptions = {}): Promise<JsonObject> {
    return this.#calls.call(tool, args, options);
  }

  /** Runs code over the tools, or a capability. */
  async execute(request: ExecuteRequest, options: CallOptions = {}): Promise<ExecuteAnswer> {
    return (await this.call('pml_execute', { ...request }, options)) as unknown as ExecuteAnswer;
  }

  /** Finds tools and capabilities by intent. */
  async discover(intent: string, limit = 10): Promise<readonly Discovered[]> {
    const answer = await this.call('pml_discover', { intent, limit });
    return answer.results as Discovered[];
  }

  async close(): Promise<void> {
    await this.#calls.close();
    await this.#source.close();
  }
}
