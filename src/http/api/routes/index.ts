import type { Route } from '../route.ts';
import { listCapabilitiesRoute } from './list-capabilities.ts';
import { overviewRoute } from './overview.ts';
import { sessionRoute } from './session.ts';

/** All addresses of the API. */
export const ROUTES: readonly Route[] = [sessionRoute, overviewRoute, listCapabilitiesRoute];
