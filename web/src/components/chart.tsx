import { useEffect, useRef } from 'preact/hooks';
import type { Options } from 'uplot';
import type { SeriesPoint } from '../api/types.ts';
import { colour, repaint } from '../shell/theme.ts';
import { clockTime, count, duration, fullTime, percent } from '../text/format.ts';

const dayName = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' });
const hourName = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hour12: false });

interface Line {
  label: string;
  colour: string;
  values: (number | null)[];
  format: (value: number) => string;
  /** Drawn as bars from the bottom. */
  isBar?: boolean;
}

/** Calls and failures over time. */
export function CallsChart({ series, height = 160 }: { series: readonly SeriesPoint[]; height?: number }) {
  const calls = series.map((point) => point.calls);
  const failures = series.map((point) => point.failures);
  const total = calls.reduce((sum, one) => sum + one, 0);
  const failed = failures.reduce((sum, one) => sum + one, 0);
  return (
    <Chart
      series={series}
      height={height}
      label={`Calls over time: ${count(total)} in all, ${count(failed)} failed`}
      lines={[
        { label: 'Calls', colour: 'series-1', values: calls, format: count, isBar: true },
        { label: 'Failed', colour: 'series-2', values: failures, format: count, isBar: true },
      ]}
    />
  );
}

/** Latency over time: the median and the 95th percentile. */
export function LatencyChart({ series, height = 160 }: { series: readonly SeriesPoint[]; height?: number }) {
  const p50 = series.map((point) => point.p50_ms);
  const p95 = series.map((point) => point.p95_ms);
  const worst = Math.max(0, ...p95.map((value) => value ?? 0));
  return (
    <Chart
      series={series}
      height={height}
      label={`Latency over time; 95 of 100 calls took at most ${duration(worst)}`}
      lines={[
        { label: 'p50', colour: 'series-1', values: p50, format: duration },
        { label: 'p95', colour: 'series-3', values: p95, format: duration },
      ]}
    />
  );
}

/** Success over time. */
export function SuccessChart({ series, height = 160 }: { series: readonly SeriesPoint[]; height?: number }) {
  const rates = series.map(({ calls, failures }) => (calls === 0 ? null : (calls - failures) / calls));
  return (
    <Chart
      series={series}
      height={height}
      label="Success over time"
      range={[0, 1]}
      lines={[{ label: 'Success', colour: 'series-1', values: rates, format: percent }]}
    />
  );
}

interface ChartProps {
  series: readonly SeriesPoint[];
  lines: readonly Line[];
  label: string;
  height: number;
  range?: [number, number];
}

/** uPlot loads when the first chart is shown; the page has its content before. */
function Chart({ series, lines, label, height, range }: ChartProps) {
  const element = useRef<HTMLDivElement>(null);
  const paint = repaint.value;
  // The chart is made anew when its data or the colours change
  useEffect(() => {
    const place = element.current;
    if (!place) return;
    let undo = () => {};
    let isGone = false;
    void Promise.all([import('uplot'), import('uplot/dist/uPlot.min.css')]).then(([{ default: UPlot }]) => {
      if (isGone) return;
      const times = series.map(({ t }) => Date.parse(t) / 1000);
      const bars = UPlot.paths.bars?.({ size: [0.7, 24], radius: 0.15 });
      const options = chartOptions(place.clientWidth, height, lines, range, bars);
      const chart = new UPlot(options, [times, ...lines.map(({ values }) => values)] as never, place);
      const resized = new ResizeObserver(() => chart.setSize({ width: place.clientWidth, height }));
      resized.observe(place);
      undo = () => {
        resized.disconnect();
        chart.destroy();
      };
    });
    return () => {
      isGone = true;
      undo();
    };
  }, [JSON.stringify([series, height]), paint]);
  return (
    <div ref={element} class="chart" role="img" aria-label={label} style={{ height: `${height + 28}px` }} />
  );
}

function chartOptions(
  width: number,
  height: number,
  lines: readonly Line[],
  range: [number, number] | undefined,
  bars: NonNullable<Options['series'][number]['paths']> | undefined,
): Options {
  const text = colour('text-3');
  const axis = { stroke: text, font: '11px system-ui', ticks: { show: false } };
  const first = lines[0] as Line;
  return {
    width,
    height,
    cursor: { y: false, points: { show: false } },
    legend: { live: true },
    scales: {
      // Bars stand around their time, so the first and the last need half a bar more.
      x: { range: (chart, min, max) => padded(chart.data[0], min, max) },
      y: { range: range ?? ((_, __, max) => [0, Math.max(1, (max ?? 1) * 1.1)]) },
    },
    axes: [
      { ...axis, grid: { show: false }, space: 70, size: 28, values: (_, splits) => splits.map(tickOf) },
      {
        ...axis,
        size: 56,
        space: 34,
        grid: { stroke: colour('line'), width: 1 },
        values: (_, splits) => splits.map((split) => (first.isBar && split % 1 ? '' : first.format(split))),
      },
    ],
    series: [
      { value: (_, at) => (at === null ? '' : fullOrClock(at)) },
      ...lines.map((line) => ({
        label: line.label,
        stroke: colour(line.colour),
        fill: line.isBar ? colour(line.colour) : undefined,
        width: line.isBar ? 0 : 1.5,
        spanGaps: true,
        points: { show: !line.isBar && line.values.filter((value) => value !== null).length < 40, size: 5 },
        paths: line.isBar ? bars : undefined,
        value: (_: unknown, value: number | null) => (value === null ? '–' : line.format(value)),
      })),
    ],
  };
}

function padded(times: ArrayLike<number>, min: number, max: number): [number, number] {
  const half = times.length > 1 ? ((times[1] as number) - (times[0] as number)) / 2 : 1800;
  return [min - half, max + half];
}

/** A tick at midnight names the day, any other the time of day. */
function tickOf(seconds: number): string {
  const at = new Date(seconds * 1000);
  if (at.getHours() + at.getMinutes() === 0) return dayName.format(at);
  return hourName.format(at);
}

function fullOrClock(seconds: number): string {
  const iso = new Date(seconds * 1000).toISOString();
  return Date.now() - seconds * 1000 < 86_400_000 ? clockTime(iso) : fullTime(iso);
}
