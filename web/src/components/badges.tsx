import type { CapabilityState } from '../api/types.ts';
import { percent } from '../text/format.ts';

const STATES: Record<CapabilityState, { tone: string; label: string }> = {
  listed: { tone: 'good', label: 'Listed' },
  unnamed: { tone: 'accent', label: 'Unnamed' },
  stale: { tone: 'warn', label: 'Stale' },
  failing: { tone: 'bad', label: 'Failing' },
  unused: { tone: '', label: 'Unused' },
  retired: { tone: '', label: 'Retired' },
};

export function StateBadge({ state, reason }: { state: CapabilityState; reason?: string }) {
  const { tone, label } = STATES[state] ?? { tone: '', label: state };
  return (
    <span class={`badge ${tone}`} title={reason}>
      {label}
    </span>
  );
}

const SERVER_TONES: Record<string, string> = { ready: 'good', starting: 'accent', down: 'bad', stopped: '' };

export function ServerState({ state }: { state: string }) {
  return (
    <span class={`badge ${SERVER_TONES[state] ?? ''}`}>
      <span class={`dot ${SERVER_TONES[state] ?? ''}`} />
      {state}
    </span>
  );
}

/** The rate of success, coloured only where it needs attention. */
export function Rate({ value }: { value: number | null | undefined }) {
  const tone =
    value === null || value === undefined ? 'muted' : value < 0.8 ? 'bad' : value < 0.97 ? 'warn' : '';
  return <span class={tone}>{percent(value)}</span>;
}

export function Outcome({ ok, cached }: { ok: boolean; cached?: boolean }) {
  if (!ok) return <span class="badge bad">failed</span>;
  return cached ? <span class="badge accent">cached</span> : <span class="badge good">ok</span>;
}

export function Tags({ tags, max = 20 }: { tags: readonly string[]; max?: number }) {
  return (
    <>
      {tags.slice(0, max).map((tag) => (
        <span class="tag" key={tag} title={tag}>
          {tag}
        </span>
      ))}
    </>
  );
}
