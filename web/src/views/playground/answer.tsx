import { useEffect } from 'preact/hooks';
import type { ExecuteAnswer } from '../../api/types.ts';
import { useResource } from '../../api/use-resource.ts';
import { Outcome } from '../../components/badges.tsx';
import { Icon } from '../../components/icon.tsx';
import { Card } from '../../components/page.tsx';
import { to } from '../../router/router.ts';
import { bounded, duration } from '../../text/format.ts';
import { JsonText } from '../../text/long-text.tsx';
import { readRun } from '../run/read-run.ts';
import { Timeline } from '../run/timeline.tsx';
import '../run/run.css';

/** Shows the answer of a run, what became of it, and its calls. */
export function Answer({ answer, onLine }: { answer: ExecuteAnswer; onLine: (line: number) => void }) {
  const { run: id } = answer;
  const run = useResource(id === null ? null : `run ${id}`, (signal) => readRun(id ?? '', signal));
  const line = run.data?.error?.line;
  useEffect(() => {
    if (line) onLine(line);
  }, [line]);
  return (
    <>
      <Card
        title="Answer"
        acts={
          <span class="row">
            <Outcome ok={answer.ok} />
            <span class="muted">{duration(answer.ms)}</span>
            {id !== null && (
              <a class="link" href={to('runs', id)}>
                The run
              </a>
            )}
          </span>
        }
      >
        <div class="stack">
          <Kept answer={answer} />
          {answer.error && (
            <div class="problem-note" role="alert">
              <b class="pre-line">{bounded(answer.error.message, 4000)}</b>
              {answer.error.hint && <span class="muted">{bounded(answer.error.hint, 1000)}</span>}
            </div>
          )}
          {answer.ok && <JsonText value={answer.result} label="Result" />}
          {textsIn(answer.warnings).map((warning) => (
            <p class="warn wrap-anywhere" key={warning}>
              {bounded(warning, 1000)}
            </p>
          ))}
        </div>
      </Card>
      {run.data && run.data.calls_total > 0 && <Timeline run={run.data} />}
      {run.data && run.data.logs.length > 0 && (
        <Card title="Logs">
          <JsonText
            value={run.data.logs.map(({ level, text }) => `${level} ${text}`).join('\n')}
            label="Logs"
          />
        </Card>
      )}
    </>
  );
}

/** Says under which name it was remembered. */
function Kept({ answer }: { answer: ExecuteAnswer }) {
  const { capabilityId, capabilityName } = answer as { capabilityId?: unknown; capabilityName?: unknown };
  if (typeof capabilityId !== 'string') return null;
  return (
    <p class="good row" role="status">
      <Icon name="check" />
      <span>
        Kept as{' '}
        <a class="link" href={to('capabilities', capabilityId)}>
          {bounded(typeof capabilityName === 'string' ? capabilityName : capabilityId, 100)}
        </a>
      </span>
    </p>
  );
}

function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string').slice(0, 20) : [];
}
