/** The types of all requests and answers, for the dashboard. */
export type * from './agents.ts';
export type * from './capabilities.ts';
export type * from './common.ts';
export type * from './events.ts';
export type * from './execute.ts';
export type * from './graph.ts';
export type * from './inbox.ts';
export type * from './overview.ts';
export type * from './runs.ts';
export type * from './servers.ts';
export type * from './session.ts';
export type * from './tools.ts';
