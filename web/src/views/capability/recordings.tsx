import { useState } from 'preact/hooks';
import { apiPath, post } from '../../api/client.ts';
import type { Capability, Verification } from '../../api/types.ts';
import { Card } from '../../components/page.tsx';
import { Empty } from '../../components/states.tsx';
import { attempt } from '../../shell/toasts.tsx';
import { plural } from '../../text/format.ts';
import { JsonText } from '../../text/long-text.tsx';
import { Time } from '../../text/time.tsx';

/** Runs that were recorded, and whether the code still does the same when they are replayed. */
export function Recordings({ record, onChanged }: { record: Capability; onChanged: () => void }) {
  const [verified, setVerified] = useState<Verification | null>(null);
  const [isBusy, setBusy] = useState(false);
  const verify = async () => {
    setBusy(true);
    const answer = await attempt(() => post<Verification>(apiPath('capabilities', record.id, 'verify')));
    setBusy(false);
    if (!answer) return;
    setVerified(answer);
    onChanged();
  };
  const outcomes = new Map(verified?.runs.map((run) => [run.run, run]));
  return (
    <Card
      title="Recorded runs"
      acts={
        record.recordings.length > 0 && (
          <button type="button" class="button small" disabled={isBusy} onClick={() => void verify()}>
            {isBusy ? 'Replaying…' : 'Verify by replay'}
          </button>
        )
      }
    >
      {record.recordings.length === 0 && (
        <Empty compact icon="shield" title="No recordings">
          <p>PML keeps the calls of some runs, so that the code can be tried without calling anything.</p>
        </Empty>
      )}
      {verified && (
        <p class={verified.verified ? 'good' : 'bad'} role="status">
          {verified.verified
            ? 'Verified: every replay made the same calls and returned the same.'
            : 'Not verified.'}{' '}
          {verified.hint}
        </p>
      )}
      <div class="stack">
        {record.recordings.map(({ id, at, args, calls, result }) => (
          <details key={id} class="recording">
            <summary>
              <Time at={at} /> · {plural(calls, 'call')} <ReplayMark outcome={outcomes.get(id)} />
            </summary>
            {outcomes.get(id)?.differences.map((difference) => (
              <p class="bad wrap-anywhere" key={difference}>
                {difference.slice(0, 2000)}
              </p>
            ))}
            <div class="grid two">
              <div class="stack tight">
                <h3>Arguments</h3>
                <JsonText value={args} label="Arguments" />
              </div>
              <div class="stack tight">
                <h3>Result</h3>
                <JsonText value={result} label="Result" />
              </div>
            </div>
          </details>
        ))}
      </div>
    </Card>
  );
}

function ReplayMark({ outcome }: { outcome: { passed: boolean } | undefined }) {
  if (!outcome) return null;
  return outcome.passed ? <span class="badge good">passed</span> : <span class="badge bad">differs</span>;
}
