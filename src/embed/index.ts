export type { CallOptions } from './calls.ts';
export type {
  CapabilityInfo,
  CapabilityRegistry,
  CapabilitySummary,
  ListFilter,
} from './capability-registry.ts';
export type { McpTransport, SessionOptions } from './connect.ts';
export type { Discovered, ExecuteAnswer, ExecuteRequest, Gateway } from './gateway.ts';
export { joinGateway } from './join-gateway.ts';
export type { GatewayOptions } from './options.ts';
export { type StartOptions, startGateway } from './start-gateway.ts';
