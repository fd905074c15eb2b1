import type { Transport } from '@modelcontextprotocol/client';
import type { ServerConfig } from '../config/index.ts';

/** A server within PML's own process. */
export interface InProcess {
  readonly kind: 'in-process';
  /** All that decides what the server offers and answers, such as whose tasks it holds. */
  readonly id: string;
  /** Starts the server, and returns the client's end of the connection. */
  open(): Transport;
}

/** A server of the config, or one that PML itself adds. */
export interface ServerDefinition extends Omit<ServerConfig, 'transport'> {
  transport: ServerConfig['transport'] | InProcess;
  /** Sends one call at a time, for servers that lose concurrent changes. */
  oneAtATime?: boolean;
  /** Belongs to one agent. Other agents have other data under the same name, so nothing is learned from its answers. */
  ofAgent?: boolean;
}
