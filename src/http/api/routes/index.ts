import type { Route } from '../route.ts';
import { agentRoute, listAgentsRoute } from './agents.ts';
import { graphRoute } from './graph.ts';
import { listCapabilitiesRoute } from './list-capabilities.ts';
import { overviewRoute } from './overview.ts';
import { listServersRoute, restartServerRoute, serverLogRoute } from './servers.ts';
import { sessionRoute } from './session.ts';
import { callToolRoute, listToolsRoute, toolRoute } from './tools.ts';
import { typesRoute } from './types.ts';

/** All addresses of the API. */
export const ROUTES: readonly Route[] = [
  sessionRoute,
  overviewRoute,
  listCapabilitiesRoute,
  listToolsRoute,
  toolRoute,
  callToolRoute,
  listServersRoute,
  serverLogRoute,
  restartServerRoute,
  listAgentsRoute,
  agentRoute,
  graphRoute,
  typesRoute,
];
