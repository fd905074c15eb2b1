import { countStates } from '../../../registry/browse/index.ts';
import { sinceWhen } from '../../../registry/usage/index.ts';
import { HOW_SAVED } from '../../../runs/index.ts';
import { defineRoute } from '../route.ts';
import { Overview, OverviewQuery } from '../schemas/overview.ts';
import type { View } from '../view.ts';

export const overviewRoute = defineRoute({
  method: 'get',
  path: '/overview',
  summary: 'Calls, capabilities, servers and savings at a glance',
  query: OverviewQuery,
  answer: Overview,
  run: async ({ query: { since } }, view) => {
    const { gateway, who, dashboard } = view;
    const { db, journal, details } = gateway.resources;
    const { lifecycle } = gateway.workspace.config;
    // The savings need both: details tell runs of code from calls by name.
    await Promise.all([journal.flush(), details.flush()]);
    const from = sinceWhen(since);
    const [figures, states, saved] = await Promise.all([
      dashboard.figures.since(who, from),
      countStates(db, who, from, lifecycle),
      dashboard.saved.since(who, from),
    ]);
    const { calls, success_rate, p50_ms, p95_ms, cached } = figures.total();
    const steps = firstSteps(view, states.total > 0 || calls > 0);
    return {
      since,
      totals: { calls, success_rate, p50_ms, p95_ms, cached },
      series: figures.series(),
      capabilities: { ...states, reused: saved.runs },
      servers: serversOf(view),
      saved: { ...saved, how: HOW_SAVED },
      ...(steps && { first_steps: steps }),
    };
  },
});

function serversOf({ gateway: { workspace } }: View) {
  return workspace.serversOf(undefined).map(({ name, state, problem, tools }) => ({
    ...{ name, state, tools: tools ?? 0 },
    ...(problem !== undefined && { problem }),
  }));
}

/** The steps to the first capability; undefined once all are taken. */
function firstSteps({ gateway: { workspace }, client }: View, hasRun: boolean) {
  const has_servers = workspace.config.servers.length > 0;
  const has_client = hasRun || client.othersConnected;
  return has_servers && has_client && hasRun ? undefined : { has_servers, has_client, has_run: hasRun };
}
