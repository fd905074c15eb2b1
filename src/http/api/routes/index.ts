import type { Route } from '../route.ts';
import { agentRoute, listAgentsRoute } from './agents.ts';
import { batchRoute } from './batch.ts';
import {
  capabilityRoute,
  capabilityUsageRoute,
  changeCapabilityRoute,
  versionDiffRoute,
} from './capability.ts';
import {
  feedbackRoute,
  restoreRoute,
  retireRoute,
  rollbackRoute,
  runCapabilityRoute,
  undoRenameRoute,
  verifyRoute,
} from './capability-actions.ts';
import { executeRoute } from './execute.ts';
import { graphRoute } from './graph.ts';
import {
  acceptRoute,
  askModelRoute,
  dismissRoute,
  inboxCountsRoute,
  inboxRoute,
  undoRoute,
} from './inbox.ts';
import { countCapabilitiesRoute, listCapabilitiesRoute } from './list-capabilities.ts';
import { overviewRoute } from './overview.ts';
import { listRunsRoute, replayRoute, runRoute } from './runs.ts';
import { listServersRoute, restartServerRoute, serverLogRoute } from './servers.ts';
import { sessionRoute } from './session.ts';
import { callToolRoute, listToolsRoute, toolRoute } from './tools.ts';
import { typesRoute } from './type-declarations.ts';

/** All addresses of the API. */
export const ROUTES: readonly Route[] = [
  sessionRoute,
  overviewRoute,
  listCapabilitiesRoute,
  countCapabilitiesRoute,
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
  batchRoute,
  capabilityRoute,
  changeCapabilityRoute,
  versionDiffRoute,
  capabilityUsageRoute,
  runCapabilityRoute,
  verifyRoute,
  retireRoute,
  restoreRoute,
  rollbackRoute,
  undoRenameRoute,
  feedbackRoute,
  listRunsRoute,
  runRoute,
  replayRoute,
  executeRoute,
  inboxRoute,
  inboxCountsRoute,
  askModelRoute,
  acceptRoute,
  dismissRoute,
  undoRoute,
];
