import { useEffect, useRef } from 'preact/hooks';
import { apiPath, get } from '../../api/client.ts';
import { useLive } from '../../api/live-events.ts';
import type { Events, ServerItem, ServerLog } from '../../api/types.ts';
import { useResource } from '../../api/use-resource.ts';
import { useThrottled } from '../../api/use-throttled.ts';
import { Rate, ServerState } from '../../components/badges.tsx';
import { Icon } from '../../components/icon.tsx';
import { Card, PageFrame } from '../../components/page.tsx';
import { Empty, Loaded } from '../../components/states.tsx';
import type { ViewProps } from '../../shell/views.tsx';
import { bounded, clockTime, count, duration, fullTime } from '../../text/format.ts';
import { RestartButton, useServers } from './servers.tsx';
import '../run/run.css';

const LINES = 500;
const REFRESH_MS = 2000;

/** One server: its state, what it is used for, and the end of its log. */
export function Server({ parts: [name = ''] }: ViewProps) {
  const servers = useServers();
  const server = servers.data?.items.find((one) => one.name === name);
  return (
    <PageFrame
      title={bounded(name, 100)}
      above={
        <>
          <a href="/servers">Servers</a> /
        </>
      }
      beside={server && <ServerState state={server.state} />}
      acts={
        server && (
          <>
            <a class="button" href={`/tools?server=${encodeURIComponent(name)}`}>
              Its tools
            </a>
            <a class="button" href={`/runs?server=${encodeURIComponent(name)}`}>
              Its calls
            </a>
            <RestartButton name={name} onDone={servers.reload} />
          </>
        )
      }
    >
      <Loaded of={servers}>
        {() =>
          server ? (
            <Content server={server} />
          ) : (
            <Empty icon="servers" title={`There is no server "${bounded(name, 100)}"`} />
          )
        }
      </Loaded>
    </PageFrame>
  );
}

function Content({ server }: { server: ServerItem }) {
  return (
    <div class="stack">
      {server.problem && (
        <div class="problem-note" role="note">
          <b>It does not work</b>
          <span>{bounded(server.problem, 2000)}</span>
        </div>
      )}
      <div class="grid side-by-side">
        <LogTail name={server.name} />
        <Card title="Facts">
          <dl class="facts">
            <dt>Reached by</dt>
            <dd>{server.transport}</dd>
            <dt>{server.transport === 'stdio' ? 'Command' : 'Address'}</dt>
            <dd class="mono small">{bounded(server.address, 500)}</dd>
            <dt>Protocol</dt>
            <dd>{server.protocol ?? 'not known yet'}</dd>
            {server.pid !== undefined && (
              <>
                <dt>Process</dt>
                <dd>{server.pid}</dd>
              </>
            )}
            <dt>Tools</dt>
            <dd>
              {count(server.tools)} {server.unlisted && <span class="muted">left to discovery</span>}
            </dd>
            <dt>Sessions</dt>
            <dd>
              {count(server.sessions)} {server.per_session && <span class="muted">each with its own</span>}
            </dd>
            <dt>Calls</dt>
            <dd>
              {count(server.calls)} <span class="muted">in 30 days</span>
            </dd>
            <dt>Success</dt>
            <dd>
              <Rate value={server.success_rate} />
            </dd>
            <dt>p50</dt>
            <dd>{duration(server.p50_ms)}</dd>
          </dl>
        </Card>
      </div>
    </div>
  );
}

/** The end of the server's log. It follows, unless the reader scrolled up. */
function LogTail({ name }: { name: string }) {
  const log = useResource(`log ${name}`, (signal) =>
    get<ServerLog>(apiPath('servers', name, 'log'), { lines: LINES }, signal),
  );
  const list = useRef<HTMLUListElement>(null);
  const follows = useRef(true);
  const refresh = useThrottled(log.reload, REFRESH_MS);
  useLive(['server', 'call'], (data, kind) => {
    const concerns =
      kind !== 'call' || data === null || (data as Events['call']).rows.some(({ server }) => server === name);
    if (concerns) refresh();
  });
  // The log grew.
  useEffect(() => {
    if (follows.current) list.current?.scrollTo(0, list.current.scrollHeight);
  }, [log.data]);
  return (
    <Card
      title="Log"
      flush
      acts={
        <button type="button" class="button quiet small" onClick={log.reload}>
          <Icon name="refresh" size={12} />
          Read again
        </button>
      }
    >
      <Loaded of={log}>
        {({ lines }) =>
          lines.length === 0 ? (
            <Empty compact title="The log is empty">
              <p>What the server prints on stderr is shown here.</p>
            </Empty>
          ) : (
            <ul
              class="log"
              ref={list}
              tabIndex={0}
              aria-label="Log lines"
              onScroll={({ currentTarget: at }) => {
                follows.current = at.scrollTop + at.clientHeight > at.scrollHeight - 20;
              }}
            >
              {lines.map(({ at, level, text }, index) => (
                <li key={index} class={level === 'error' ? 'bad' : level === 'warn' ? 'warn' : ''}>
                  <time class="muted log-time" dateTime={at} title={fullTime(at)}>
                    {clockTime(at)}
                  </time>
                  <span class="wrap-anywhere">{bounded(text, 2000)}</span>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Card>
  );
}
