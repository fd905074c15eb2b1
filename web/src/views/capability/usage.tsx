import { apiPath, get } from '../../api/client.ts';
import type { CapabilityUsage } from '../../api/types.ts';
import { useResource } from '../../api/use-resource.ts';
import { CallsChart, LatencyChart, SuccessChart } from '../../components/chart.tsx';
import { Card } from '../../components/page.tsx';
import { Segmented } from '../../components/search-box.tsx';
import { Empty, Loaded } from '../../components/states.tsx';
import { place, setQuery } from '../../router/router.ts';
import { bounded, count } from '../../text/format.ts';
import { Time } from '../../text/time.tsx';

const SPANS = [
  ['24h', '24 hours'],
  ['7d', '7 days'],
  ['30d', '30 days'],
] as const;

/** How often it was called, how well and how fast it worked, and by whom. */
export function Usage({ id }: { id: string }) {
  const since = SPANS.find(([span]) => span === place.value.query.get('since'))?.[0] ?? '30d';
  const usage = useResource(`usage ${id} ${since}`, (signal) =>
    get<CapabilityUsage>(apiPath('capabilities', id, 'usage'), { since }, signal),
  );
  return (
    <div class="stack">
      <div class="row end">
        <Segmented
          label="Span"
          value={since}
          options={SPANS}
          onChange={(span) => setQuery({ since: span })}
        />
      </div>
      <Loaded of={usage}>
        {({ series, callers }) => (
          <>
            <div class="grid three">
              <Card title="Calls">
                <CallsChart series={series} height={130} />
              </Card>
              <Card title="Success">
                <SuccessChart series={series} height={130} />
              </Card>
              <Card title="Latency">
                <LatencyChart series={series} height={130} />
              </Card>
            </div>
            <Callers callers={callers} />
          </>
        )}
      </Loaded>
    </div>
  );
}

function Callers({ callers }: { callers: CapabilityUsage['callers'] }) {
  return (
    <Card title="Who calls it" flush>
      {callers.length === 0 && (
        <Empty compact icon="agents" title="Nobody in this span">
          <p>Agents find it by its name and description.</p>
        </Empty>
      )}
      {callers.slice(0, 100).map(({ user, agent, calls, last }) => (
        <div class="list-item" key={`${user} ${agent ?? ''}`}>
          <span class="strong">{bounded(user, 80)}</span>
          {agent && <span class="badge">{bounded(agent, 80)}</span>}
          <span class="spacer" />
          <span>{count(calls)} calls</span>
          <span class="muted">
            <Time at={last} />
          </span>
        </div>
      ))}
    </Card>
  );
}
