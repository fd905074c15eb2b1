import { untrustedNotice } from '../../../config/index.ts';
import { VERSION } from '../../../version.ts';
import { defineRoute } from '../route.ts';
import { Session } from '../schemas/session.ts';

export const sessionRoute = defineRoute({
  method: 'get',
  path: '/session',
  summary: 'The user, the workspaces, and the token for changes',
  answer: Session,
  run: async (_, { workspace, gateway, who, dashboard }) => {
    const { config } = gateway.workspace;
    const untrusted = untrustedNotice(config);
    // The page also works without the event stream.
    const last_event = await dashboard.streams.lastEvent(gateway, who).catch(() => undefined);
    return {
      version: VERSION,
      token: dashboard.token,
      started_at: dashboard.startedAt.toISOString(),
      user: who.user,
      scope: config.scope,
      workspace: workspace.id,
      workspaces: dashboard.workspaces().map(({ id, gateway: { workspace: one } }) => ({
        id,
        config: one.config.file,
        scope: `${one.config.scope.org}.${one.config.scope.project}`,
        sessions: one.members.size,
        servers: one.serversOf(undefined).map(({ name }) => name),
      })),
      mcp_url: `${dashboard.url()}/mcp`,
      ...(last_event !== undefined && { last_event }),
      ...(untrusted !== undefined && { untrusted }),
    };
  },
});
