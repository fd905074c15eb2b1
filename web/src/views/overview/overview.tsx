import { get } from '../../api/client.ts';
import { useLive } from '../../api/live-events.ts';
import type { Overview as Data } from '../../api/types.ts';
import { useResource } from '../../api/use-resource.ts';
import { useThrottled } from '../../api/use-throttled.ts';
import { CallsChart, LatencyChart } from '../../components/chart.tsx';
import { Card, PageFrame } from '../../components/page.tsx';
import { Segmented } from '../../components/search-box.tsx';
import { Loaded } from '../../components/states.tsx';
import { place, setQuery } from '../../router/router.ts';
import { duration } from '../../text/format.ts';
import { FirstSteps } from './first-steps.tsx';
import { Attention, ServerHealth } from './health.tsx';
import { KeyFigures } from './key-figures.tsx';
import { Saved } from './saved.tsx';
import './overview.css';

const SPANS = [
  ['24h', '24 hours'],
  ['7d', '7 days'],
  ['30d', '30 days'],
] as const;
type Span = (typeof SPANS)[number][0];
/** Figures are read again when something happens, at most this often. */
const REFRESH_MS = 10_000;

/** Shows what agents have learned, what it saved, and what is wrong. */
export function Overview() {
  const asked = place.value.query.get('since') as Span | null;
  const since = SPANS.some(([span]) => span === asked) ? (asked as Span) : '24h';
  const overview = useResource(`overview ${since}`, (signal) => get<Data>('/overview', { since }, signal));
  useLive(['call', 'capability', 'server'], useThrottled(overview.reload, REFRESH_MS));
  return (
    <PageFrame
      title="Overview"
      acts={
        <Segmented
          label="Span"
          value={since}
          options={SPANS}
          onChange={(span) => setQuery({ since: span === '24h' ? null : span })}
        />
      }
    >
      <Loaded of={overview} lines={10}>
        {(data) => <Content data={data} />}
      </Loaded>
    </PageFrame>
  );
}

function Content({ data }: { data: Data }) {
  const { totals, series } = data;
  return (
    <div class="stack overview">
      {data.first_steps && <FirstSteps steps={data.first_steps} />}
      <KeyFigures data={data} />
      <div class="grid two">
        <Card title="Calls">
          <CallsChart series={series} />
        </Card>
        <Card
          title="Latency"
          acts={
            <span class="muted">
              p50 {duration(totals.p50_ms)} · p95 {duration(totals.p95_ms)}
            </span>
          }
        >
          <LatencyChart series={series} />
        </Card>
      </div>
      <div class="grid three">
        <Saved saved={data.saved} />
        <Attention data={data} />
        <ServerHealth servers={data.servers} />
      </div>
    </div>
  );
}
