import { apiPath, get, post } from '../../api/client.ts';
import { useLive } from '../../api/live-events.ts';
import type { Page, Restarted, ServerItem } from '../../api/types.ts';
import { useResource } from '../../api/use-resource.ts';
import { Rate, ServerState } from '../../components/badges.tsx';
import { Icon } from '../../components/icon.tsx';
import { PageFrame } from '../../components/page.tsx';
import { Empty, Loaded } from '../../components/states.tsx';
import { to } from '../../router/router.ts';
import { attempt, notify, notifyError } from '../../shell/toasts.tsx';
import { bounded, count, duration } from '../../text/format.ts';

/** The servers behind the gateway, and how they are. */
export function Servers() {
  const servers = useServers();
  return (
    <PageFrame
      title="Servers"
      beside={servers.data && <span class="muted">{count(servers.data.items.length)}</span>}
    >
      <Loaded of={servers} lines={8}>
        {({ items }) =>
          items.length === 0 ? <NoServers /> : <ServerTable items={items} onChanged={servers.reload} />
        }
      </Loaded>
    </PageFrame>
  );
}

export function useServers() {
  const servers = useResource('servers', (signal) => get<Page<ServerItem>>('/servers', {}, signal));
  useLive(['server'], servers.reload);
  return servers;
}

function ServerTable({ items, onChanged }: { items: readonly ServerItem[]; onChanged: () => void }) {
  return (
    <div class="table-wrap">
      <table class="table auto" aria-label="Servers">
        <thead>
          <tr>
            <th scope="col">Server</th>
            <th scope="col">State</th>
            <th scope="col" class="lesser">
              Protocol
            </th>
            <th scope="col" class="number">
              Tools
            </th>
            <th scope="col" class="number lesser">
              Calls
            </th>
            <th scope="col" class="number lesser">
              Success
            </th>
            <th scope="col" class="number lesser">
              p50
            </th>
            <th scope="col">
              <span class="visually-hidden">Acts</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {items.map((server) => (
            <ServerRow key={server.name} server={server} onChanged={onChanged} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function ServerRow({ server, onChanged }: { server: ServerItem; onChanged: () => void }) {
  return (
    <tr class="data">
      <td>
        <a class="name" href={to('servers', server.name)}>
          {bounded(server.name, 80)}
        </a>
        <div class="muted small mono">{bounded(server.address, 140)}</div>
        {server.problem && <div class="bad small">{bounded(server.problem, 300)}</div>}
      </td>
      <td class="nowrap">
        <ServerState state={server.state} />
      </td>
      <td class="lesser nowrap">
        {server.protocol ?? '–'} <span class="muted small">{server.transport}</span>
      </td>
      <td class="number">
        <a href={`/tools?server=${encodeURIComponent(server.name)}`}>{count(server.tools)}</a>
      </td>
      <td class="number lesser">{count(server.calls)}</td>
      <td class="number lesser">
        <Rate value={server.success_rate} />
      </td>
      <td class="number lesser nowrap">{duration(server.p50_ms)}</td>
      <td>
        <RestartButton name={server.name} onDone={onChanged} />
      </td>
    </tr>
  );
}

/** Stops the server's process, or its connection, and starts it anew. */
export function RestartButton({ name, onDone }: { name: string; onDone: () => void }) {
  const restart = () =>
    attempt(async () => {
      const { state, problem } = await post<Restarted>(apiPath('servers', name, 'restart'));
      if (problem) notifyError(new Error(`${name}: ${problem}`));
      else notify(`${name} is ${state}.`);
      onDone();
    });
  return (
    <button type="button" class="button small" aria-label={`Restart ${name}`} onClick={() => void restart()}>
      <Icon name="refresh" size={12} />
      Restart
    </button>
  );
}

function NoServers() {
  return (
    <Empty icon="servers" title="No servers yet">
      <p>
        <code>pml add NAME -- COMMAND</code> puts an MCP server behind the gateway; <code>pml init</code>{' '}
        takes over those of your other clients.
      </p>
    </Empty>
  );
}
