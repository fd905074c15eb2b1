import { apiPath, get } from '../../api/client.ts';
import { useResource } from '../../api/use-resource.ts';
import { Card, PageFrame } from '../../components/page.tsx';
import { Loaded } from '../../components/states.tsx';
import type { ViewProps } from '../../shell/views.tsx';
import { bounded, plural } from '../../text/format.ts';
import { JsonText, LongText } from '../../text/long-text.tsx';

/** Everything that an agent can and cannot reach, as the gateway resolves it. */
interface AgentReport {
  name: string;
  is_default: boolean;
  model: string | null;
  system_prompt: string | null;
  declared: unknown;
  ok?: boolean;
  problems?: string[];
  warnings?: string[];
  capabilities: Share[];
  learned: 'none' | 'all' | string[];
  not_listed?: { key: string; about: string }[];
}

/** The agent's share of one capability. */
interface Share {
  key: string;
  about: string;
  all_tools: boolean;
  allowed: string[];
  denied: string[];
}

/** Shows what one agent can reach, and why. */
export function Agent({ parts: [name = ''] }: ViewProps) {
  const agent = useResource(`agent ${name}`, (signal) =>
    get<AgentReport>(apiPath('agents', name), {}, signal),
  );
  return (
    <PageFrame
      title={bounded(name, 100)}
      above={
        <>
          <a href="/agents">Agents</a> /
        </>
      }
      beside={
        agent.data?.ok === false ? (
          <span class="badge bad">does not work</span>
        ) : (
          agent.data && <span class="badge good">ok</span>
        )
      }
      acts={
        <a class="button" href={`/runs?agent=${encodeURIComponent(name)}`}>
          Its calls
        </a>
      }
    >
      <Loaded of={agent}>{(report) => <Content report={report} />}</Loaded>
    </PageFrame>
  );
}

function Content({ report }: { report: AgentReport }) {
  return (
    <div class="stack">
      {report.problems?.map((problem) => (
        <p class="bad wrap-anywhere" role="note" key={problem}>
          {bounded(problem, 1000)}
        </p>
      ))}
      {report.warnings?.map((warning) => (
        <p class="warn wrap-anywhere" key={warning}>
          {bounded(warning, 1000)}
        </p>
      ))}
      <div class="grid side-by-side">
        <div class="stack">
          <Reachable report={report} />
          <Unreachable report={report} />
        </div>
        <Declared report={report} />
      </div>
    </div>
  );
}

function Reachable({ report }: { report: AgentReport }) {
  return (
    <Card title="It can reach" flush>
      {report.capabilities.map(({ key, all_tools, allowed }) => (
        <div class="list-item" key={key}>
          <span class="strong">{bounded(key, 80)}</span>
          <span class="wrap-anywhere">{toolsOf(all_tools, allowed)}</span>
        </div>
      ))}
      <div class="list-item">
        <span class="strong nowrap">Learned</span>
        <span class="wrap-anywhere">{learnedOf(report.learned)}</span>
      </div>
      <div class="list-item">
        <span class="strong nowrap">PML</span>
        <span class="muted">
          pml_execute, pml_discover and the cap_ tools that read, within the above. Every agent has them.
        </span>
      </div>
    </Card>
  );
}

function toolsOf(allTools: boolean, allowed: readonly string[]): string {
  if (!allTools) return bounded(allowed.join(', '), 1000) || 'no tool, because "tools" is empty';
  return allowed.length === 0 ? 'all tools' : `all ${plural(allowed.length, 'tool')}, and later ones`;
}

function learnedOf(learned: AgentReport['learned']): string {
  if (learned === 'none') return 'no learned capability, because "capabilities" is not in its object';
  if (learned === 'all') return 'all learned capabilities that you see';
  return bounded(learned.join(', '), 1000) || 'no learned capability, because "names" is empty';
}

function Unreachable({ report }: { report: AgentReport }) {
  const limited = report.capabilities.filter(({ denied }) => denied.length > 0);
  const missing = report.not_listed ?? [];
  return (
    <Card title="It cannot reach" flush>
      {limited.length + missing.length === 0 && (
        <p class="card-body muted">Nothing of what is configured is left out.</p>
      )}
      {limited.map(({ key, denied }) => (
        <div class="list-item" key={key}>
          <span class="strong">{bounded(key, 80)}</span>
          <span class="wrap-anywhere">{bounded(denied.join(', '), 1000)}</span>
          <span class="muted small">its "tools" does not name them</span>
        </div>
      ))}
      {missing.map(({ key, about }) => (
        <div class="list-item" key={key}>
          <span class="strong">{bounded(key, 80)}</span>
          <span class="muted">not in its capabilities{about && ` (${bounded(about, 200)})`}</span>
        </div>
      ))}
    </Card>
  );
}

function Declared({ report }: { report: AgentReport }) {
  return (
    <Card title="As the config has it">
      <div class="stack">
        <dl class="facts">
          <dt>Model</dt>
          <dd>{report.model ?? <span class="muted">the default</span>}</dd>
          <dt>Address</dt>
          <dd class="mono small">/agents/{report.name}/mcp</dd>
        </dl>
        <h3>Capabilities</h3>
        <JsonText value={report.declared} label="Declared capabilities" />
        {report.system_prompt && (
          <>
            <h3>System prompt</h3>
            <LongText text={report.system_prompt} label="System prompt" />
          </>
        )}
      </div>
    </Card>
  );
}
