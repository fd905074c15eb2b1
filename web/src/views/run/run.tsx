import { useState } from 'preact/hooks';
import { apiPath, post } from '../../api/client.ts';
import type { Run as Data, Replayed } from '../../api/types.ts';
import { useResource } from '../../api/use-resource.ts';
import { Outcome } from '../../components/badges.tsx';
import { Card, PageFrame } from '../../components/page.tsx';
import { Empty, Loaded } from '../../components/states.tsx';
import { to } from '../../router/router.ts';
import { attempt } from '../../shell/toasts.tsx';
import type { ViewProps } from '../../shell/views.tsx';
import { bounded, bytes, duration, fullTime, plural } from '../../text/format.ts';
import { HighlightedCode } from '../../text/highlighted-code.tsx';
import { JsonText } from '../../text/long-text.tsx';
import { readRun } from './read-run.ts';
import { Timeline } from './timeline.tsx';
import './run.css';

/** One run: its calls as a timeline, its code, what went in and what came out. */
export function Run({ parts: [id = ''] }: ViewProps) {
  const run = useResource(`run ${id}`, (signal) => readRun(id, signal));
  const { data } = run;
  return (
    <PageFrame
      title={data ? bounded(data.intent ?? data.name, 120) : 'Run'}
      above={
        <>
          <a href="/runs">Runs</a> /
        </>
      }
      beside={data && <Outcome ok={data.ok} cached={data.cached} />}
      acts={data && !data.gone && data.kind !== 'call' && <Replay id={id} />}
    >
      <Loaded of={run} lines={12}>
        {(loaded) => <Content run={loaded} />}
      </Loaded>
    </PageFrame>
  );
}

function Content({ run }: { run: Data }) {
  return (
    <div class="stack">
      <Head run={run} />
      {run.error && !(run.code && run.error.line) && (
        <div class="problem-note" role="note">
          <b>It failed</b>
          <span class="pre-line">{bounded(run.error.message, 8000)}</span>
        </div>
      )}
      {run.calls_total > 0 && <Timeline key={run.id} run={run} />}
      {run.gone && (
        <Empty compact icon="runs" title="No more is kept of this">
          <p>
            The journal keeps that it happened. Code, arguments and results are kept of some runs only, and
            not for ever.
          </p>
        </Empty>
      )}
      {run.code !== undefined && (
        <Card title="Code" flush>
          <HighlightedCode
            html={run.code_html ?? ''}
            code={run.code}
            {...(run.error?.line && {
              mark: { line: run.error.line, message: bounded(run.error.message, 2000) },
            })}
          />
        </Card>
      )}
      <div class="grid two">
        {run.args !== undefined && (
          <Card title="Arguments">
            <JsonText value={run.args} label="Arguments" />
          </Card>
        )}
        {run.result !== undefined && (
          <Card
            title="Result"
            acts={
              run.truncated && (
                <span class="muted">{bytes(run.truncated.bytes)} in all, its beginning is kept</span>
              )
            }
          >
            <JsonText value={run.result} label="Result" />
          </Card>
        )}
      </div>
      {run.logs.length > 0 && <Logs logs={run.logs} />}
    </div>
  );
}

function Head({ run }: { run: Data }) {
  return (
    <p class="muted run-head">
      {run.capability_id ? (
        <a class="link" href={to('capabilities', run.capability_id)}>
          {bounded(run.name, 100)}
        </a>
      ) : (
        <span class="mono">{bounded(run.name, 100)}</span>
      )}
      {run.version !== undefined && <span>version {run.version}</span>}
      <span title={run.at}>{fullTime(run.at)}</span>
      <span>{duration(run.ms)}</span>
      <span>{plural(run.calls_total, 'call')}</span>
      <span>
        by {bounded(run.user, 60)}
        {run.agent && `, agent ${bounded(run.agent, 60)}`}
      </span>
      {run.run && (
        <a class="link" href={to('runs', run.run)}>
          the run that it belongs to
        </a>
      )}
    </p>
  );
}

/** Runs the code again with its calls answered from the recording. */
function Replay({ id }: { id: string }) {
  const [answer, setAnswer] = useState<Replayed | null>(null);
  const replay = async () => {
    const done = await attempt(() => post<Replayed>(apiPath('runs', id, 'replay')));
    setAnswer(done ?? null);
  };
  return (
    <>
      {answer && (
        <span class={answer.passed ? 'good' : 'bad'} role="status">
          {answer.passed ? 'The replay did the same.' : bounded(answer.differences.join(' '), 300)}
        </span>
      )}
      <button
        type="button"
        class="button"
        title="Runs the code again with its calls answered from the recording. Nothing is really called."
        onClick={() => void replay()}
      >
        Replay
      </button>
    </>
  );
}

const MAX_LINES = 500;

function Logs({ logs }: { logs: Data['logs'] }) {
  return (
    <Card title="Logs" flush>
      <ul class="log" tabIndex={0} aria-label="Log lines">
        {logs.slice(0, MAX_LINES).map(({ level, text }, index) => (
          <li key={index} class={level === 'error' ? 'bad' : level === 'warn' ? 'warn' : ''}>
            <span class="muted log-level">{level}</span>
            <span class="wrap-anywhere">{bounded(text, 4000)}</span>
          </li>
        ))}
      </ul>
    </Card>
  );
}
