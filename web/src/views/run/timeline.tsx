import { useEffect, useRef, useState } from 'preact/hooks';
import type { Run, RunCall } from '../../api/types.ts';
import { Outcome } from '../../components/badges.tsx';
import { Card } from '../../components/page.tsx';
import { to } from '../../router/router.ts';
import { useShortcuts } from '../../shell/shortcuts.ts';
import { bounded, count, duration } from '../../text/format.ts';
import { JsonText } from '../../text/long-text.tsx';
import { useCalls } from './use-calls.ts';

const ROW = 26;
const OVERSCAN = 10;
const MAX_HEIGHT = 520;
const TICKS = 5;

/** The calls of a run, each a row with a bar from its start to its end, so that the bars of concurrent calls overlap. */
export function Timeline({ run }: { run: Run }) {
  const { calls, loadMore } = useCalls(run);
  const [chosen, setChosen] = useState<string | null>(null);
  const [top, setTop] = useState(0);
  const scroller = useRef<HTMLDivElement>(null);
  const span = Math.max(run.ms, ...calls.slice(0, 2000).map(({ start_ms, ms }) => start_ms + ms), 1);
  const height = Math.min(MAX_HEIGHT, run.calls_total * ROW);
  const first = Math.max(0, Math.floor(top / ROW) - OVERSCAN);
  const last = Math.min(calls.length, Math.ceil((top + height) / ROW) + OVERSCAN);
  useEffect(() => {
    if (last >= calls.length - OVERSCAN) loadMore();
  }, [last, calls.length, loadMore]);
  const at = calls.findIndex(({ id }) => id === chosen);
  const move = (by: number) => {
    const next = Math.max(0, Math.min(calls.length - 1, at + by));
    setChosen(calls[next]?.id ?? null);
    scroller.current?.scrollTo({ top: Math.max(0, next * ROW - height / 2) });
  };
  useShortcuts([
    { key: 'j', does: 'Next call', act: () => move(1) },
    { key: 'k', does: 'Previous call', act: () => move(-1) },
  ]);
  const call = calls[at];
  return (
    <Card
      title="Timeline"
      beside={
        <span class="muted">{`${count(run.calls_total)} calls, ${busiest(calls)} at once at most`}</span>
      }
      acts={<Legend />}
      flush
    >
      <Ruler span={span} />
      <div
        class="timeline"
        ref={scroller}
        tabIndex={0}
        role="region"
        aria-label="Calls over time"
        style={{ height: `${height}px` }}
        onScroll={(event) => setTop(event.currentTarget.scrollTop)}
      >
        <ul style={{ height: `${calls.length * ROW}px` }}>
          {calls.slice(first, last).map((one, index) => (
            <Bar
              key={one.id}
              call={one}
              top={(first + index) * ROW}
              span={span}
              isChosen={one.id === chosen}
              onChoose={() => setChosen(one.id === chosen ? null : one.id)}
            />
          ))}
        </ul>
      </div>
      {call && <CallDetails call={call} />}
    </Card>
  );
}

function Legend() {
  return (
    <ul class="timeline-legend" aria-label="Colours">
      <li>
        <span class="dot called" /> called
      </li>
      <li>
        <span class="dot cached" /> from cache
      </li>
      <li>
        <span class="dot failed" /> failed
      </li>
    </ul>
  );
}

function Ruler({ span }: { span: number }) {
  return (
    <div class="ruler" aria-hidden="true">
      <span />
      <div>
        {Array.from({ length: TICKS }, (_, index) => (
          <span key={index} style={{ left: `${(index / (TICKS - 1)) * 100}%` }}>
            {duration(Math.round((span * index) / (TICKS - 1)))}
          </span>
        ))}
      </div>
    </div>
  );
}

function Bar(props: { call: RunCall; top: number; span: number; isChosen: boolean; onChoose: () => void }) {
  const { call, span } = props;
  const left = Math.min(100, (call.start_ms / span) * 100);
  const width = Math.max(0.25, Math.min(100 - left, (call.ms / span) * 100));
  const tone = call.ok ? (call.cached ? 'cached' : '') : 'failed';
  return (
    <li style={{ top: `${props.top}px` }}>
      <button type="button" class="call-row" aria-pressed={props.isChosen} onClick={props.onChoose}>
        <span
          class="call-name truncate"
          style={{ paddingLeft: `${12 + Math.min(8, call.depth - 1) * 14}px` }}
        >
          {bounded(call.name, 80)}
        </span>
        <span class="call-track">
          <span class={`call-bar ${tone}`} style={{ left: `${left}%`, width: `${width}%` }} />
          <span
            class={`call-ms ${left + width > 85 ? 'inside' : ''}`}
            style={left + width > 85 ? { right: `${100 - left}%` } : { left: `${left + width}%` }}
          >
            {duration(call.ms)}
          </span>
        </span>
        <span class="visually-hidden">
          , from {duration(call.start_ms)}
          {!call.ok && ', failed'}
        </span>
      </button>
    </li>
  );
}

function CallDetails({ call }: { call: RunCall }) {
  return (
    <div class="call-details stack" role="region" aria-label="The chosen call" aria-live="polite">
      <div class="row wrap">
        <b class="mono">{bounded(call.name, 100)}</b>
        <Outcome ok={call.ok} cached={call.cached} />
        <span class="muted">
          from {duration(call.start_ms)}, {duration(call.ms)}
        </span>
        {call.capability_id && (
          <a class="link" href={to('capabilities', call.capability_id)}>
            the capability
          </a>
        )}
      </div>
      {call.error && <p class="bad wrap-anywhere pre-line">{bounded(call.error, 4000)}</p>}
      <div class="grid two">
        {call.args !== undefined && <JsonText value={call.args} label="Arguments of the call" />}
        {call.result !== undefined && <JsonText value={call.result} label="Result of the call" />}
      </div>
      {call.args === undefined && call.result === undefined && (
        <p class="muted">No arguments or result are kept of this call.</p>
      )}
    </div>
  );
}

/** How many calls ran at once at most. */
function busiest(calls: readonly RunCall[]): number {
  const events = calls.flatMap(({ start_ms, ms }) => [
    { at: start_ms, by: 1 },
    { at: start_ms + ms, by: -1 },
  ]);
  events.sort((a, b) => a.at - b.at || a.by - b.by);
  let now = 0;
  let most = 0;
  for (const { by } of events) {
    now += by;
    most = Math.max(most, now);
  }
  return Math.max(most, calls.length > 0 ? 1 : 0);
}
