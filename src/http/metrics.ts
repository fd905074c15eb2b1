import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** The figures that are read only when `/metrics` is requested. */
export interface MetricSources {
  sessions(): number;
  upstreams(): { server: string; state: string }[];
  journalBacklog(): number;
  longTurns(): number;
}

/** The measurements of one daemon, in Prometheus's format. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #calls: Histogram<'server' | 'outcome'>;

  constructor(sources: MetricSources) {
    const registers = [this.#registry];
    // Measuring the lag every 10 ms, the default, would wake an idle daemon a hundred times a second.
    collectDefaultMetrics({ register: this.#registry, eventLoopMonitoringPrecision: 200 });
    this.#calls = new Histogram({
      name: 'pml_tool_call_seconds',
      help: 'Time of tool calls, by server and outcome.',
      labelNames: ['server', 'outcome'],
      buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30],
      registers,
    });
    new Gauge({
      name: 'pml_sessions',
      help: 'Open sessions.',
      registers,
      collect() {
        this.set(sources.sessions());
      },
    });
    new Gauge({
      name: 'pml_journal_backlog',
      help: 'Calls recorded but not stored yet.',
      registers,
      collect() {
        this.set(sources.journalBacklog());
      },
    });
    new Counter({
      name: 'pml_event_loop_long_turns_total',
      help: 'Turns of the event loop that took more than 250 ms of processor time.',
      registers,
      collect() {
        this.reset();
        this.inc(sources.longTurns());
      },
    });
    new Gauge({
      name: 'pml_upstream_up',
      help: 'Whether a server is connected.',
      labelNames: ['server'],
      registers,
      collect() {
        this.reset();
        for (const { server, state } of sources.upstreams()) this.set({ server }, state === 'ready' ? 1 : 0);
      },
    });
  }

  observeCall(server: string, success: boolean, ms: number): void {
    this.#calls.observe({ server, outcome: success ? 'success' : 'failure' }, ms / 1000);
  }

  async text(): Promise<{ type: string; body: string }> {
    return { type: this.#registry.contentType, body: await this.#registry.metrics() };
  }
}
