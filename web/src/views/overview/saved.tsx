import type { Overview } from '../../api/types.ts';
import { Card } from '../../components/page.tsx';
import { count, duration, short } from '../../text/format.ts';

/** Shows what memory saved against the recorded first runs, and how that is computed. */
export function Saved({ saved }: { saved: Overview['saved'] }) {
  return (
    <Card title="What memory saved">
      <div class="stack">
        <dl class="saved">
          <div>
            <dt>Tokens</dt>
            <dd title={count(saved.tokens)}>{short(saved.tokens)}</dd>
          </div>
          <div>
            <dt>Calls</dt>
            <dd title={count(saved.calls)}>{short(saved.calls)}</dd>
          </div>
          <div>
            <dt>Time</dt>
            <dd>{duration(saved.ms)}</dd>
          </div>
        </dl>
        <p class="muted small">
          In {count(saved.runs)} runs of capabilities, {count(saved.cached)} of them answered from the cache.
        </p>
        <details class="small">
          <summary>How this is reckoned</summary>
          <p class="muted">{saved.how}</p>
        </details>
      </div>
    </Card>
  );
}
