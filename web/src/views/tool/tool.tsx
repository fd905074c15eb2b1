import { apiPath, get } from '../../api/client.ts';
import type { Tool as Data, ToolCallAnswer } from '../../api/types.ts';
import { useCall } from '../../api/use-call.ts';
import { useResource } from '../../api/use-resource.ts';
import { Outcome, Rate } from '../../components/badges.tsx';
import { CallsChart, LatencyChart } from '../../components/chart.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { Card, PageFrame } from '../../components/page.tsx';
import { SchemaForm } from '../../components/schema-form.tsx';
import { Empty, Loaded, Problem, ShownOf } from '../../components/states.tsx';
import { to } from '../../router/router.ts';
import type { ViewProps } from '../../shell/views.tsx';
import { bounded, bytes, count, duration } from '../../text/format.ts';
import { JsonText } from '../../text/long-text.tsx';

/** One tool: what it takes, how it is used, and a form that calls it. */
export function Tool({ parts: [server = '', ...rest] }: ViewProps) {
  const name = rest.join('/');
  const path = apiPath('tools', server, name);
  const tool = useResource(`tool ${path}`, (signal) => get<Data>(path, {}, signal));
  return (
    <PageFrame
      title={bounded(name, 100)}
      above={
        <>
          <a href="/tools">Tools</a> / <a href={to('servers', server)}>{bounded(server, 60)}</a> /
        </>
      }
      beside={tool.data?.read_only ? <span class="badge">reads only</span> : undefined}
      acts={
        <a
          class="button"
          href={`/runs?server=${encodeURIComponent(server)}&tool=${encodeURIComponent(name)}`}
        >
          Its calls
        </a>
      }
    >
      <Loaded of={tool} lines={10}>
        {(data) => <Content tool={data} path={path} />}
      </Loaded>
    </PageFrame>
  );
}

function Content({ tool, path }: { tool: Data; path: string }) {
  return (
    <div class="stack">
      <p class="wrap-anywhere pre-line">
        {bounded(tool.description || 'The server gives no description.', 4000)}
      </p>
      <div class="row">
        <code class="signature grow">{bounded(tool.signature, 4000)}</code>
        <CopyButton text={tool.signature} label="Copy the signature" />
      </div>
      <TryIt tool={tool} path={path} />
      <div class="grid three">
        <Card title="Calls in 30 days">
          <CallsChart series={tool.series} height={120} />
        </Card>
        <Card title="Latency">
          <LatencyChart series={tool.series} height={120} />
        </Card>
        <Facts tool={tool} />
      </div>
      <div class="grid two">
        <Card title="Input schema">
          <JsonText value={tool.input_schema} label="Input schema" />
        </Card>
        {tool.output_schema !== undefined && (
          <Card title="Output schema">
            <JsonText value={tool.output_schema} label="Output schema" />
          </Card>
        )}
      </div>
    </div>
  );
}

const MOST_USERS = 30;

function Facts({ tool }: { tool: Data }) {
  return (
    <Card title="Use">
      <dl class="facts">
        <dt>Calls</dt>
        <dd>{count(tool.calls)}</dd>
        <dt>Success</dt>
        <dd>
          <Rate value={tool.success_rate} />
        </dd>
        <dt>p50, p95</dt>
        <dd>
          {duration(tool.p50_ms)}, {duration(tool.p95_ms)}
        </dd>
        <dt>Listed as</dt>
        <dd class="mono small">{tool.listed_name}</dd>
        <dt>Used by</dt>
        <dd>
          {tool.used_by.length === 0 && <span class="muted">no capability yet</span>}
          {tool.used_by.slice(0, MOST_USERS).map(({ id, name }) => (
            <div key={id}>
              <a class="link" href={to('capabilities', id)}>
                {bounded(name, 80)}
              </a>
            </div>
          ))}
          <ShownOf shown={MOST_USERS} total={tool.used_by_total} />
        </dd>
      </dl>
    </Card>
  );
}

function TryIt({ tool, path }: { tool: Data; path: string }) {
  const { isBusy, answer, problem, run } = useCall<ToolCallAnswer>(`${path}/call`);
  return (
    <div class="grid two">
      <Card
        title="Try it out"
        beside={
          !tool.read_only && (
            <span class="warn small">it really calls the server, and may change something</span>
          )
        }
      >
        <SchemaForm schema={tool.input_schema} action="Call" isBusy={isBusy} onSubmit={run} />
      </Card>
      <Card
        title="Answer"
        acts={
          answer && (
            <span class="row">
              <Outcome ok={answer.ok} />
              <span class="muted">{duration(answer.ms)}</span>
            </span>
          )
        }
      >
        {problem && <Problem error={problem} />}
        {!answer && !problem && (
          <Empty compact icon="tools" title="Not called yet">
            <p>The answer is shown here as the server sends it.</p>
          </Empty>
        )}
        {answer && <Answer answer={answer} />}
      </Card>
    </div>
  );
}

function Answer({ answer }: { answer: ToolCallAnswer }) {
  return (
    <div class="stack">
      {answer.content.slice(0, 50).map((block, index) => (
        <JsonText key={index} value={textIn(block)} label={`Content ${index + 1}`} />
      ))}
      {answer.structured !== undefined && (
        <>
          <h3>Structured</h3>
          <JsonText value={answer.structured} label="Structured content" />
        </>
      )}
      {answer.truncated && (
        <p class="muted small">{bytes(answer.truncated.bytes)} in all; the beginning is shown.</p>
      )}
    </div>
  );
}

/** A block of text is shown as its text; an image or a resource as the JSON that it is. */
function textIn(block: unknown): unknown {
  const { type, text } = (block ?? {}) as { type?: unknown; text?: unknown };
  return type === 'text' && typeof text === 'string' ? text : block;
}
