import { get } from '../../api/client.ts';
import type { Page } from '../../api/types.ts';
import { useResource } from '../../api/use-resource.ts';
import { PageFrame } from '../../components/page.tsx';
import { Empty, Loaded } from '../../components/states.tsx';
import { to } from '../../router/router.ts';
import { bounded, plural } from '../../text/format.ts';

/** An agent as the list has it. */
interface AgentSummary {
  name: string;
  is_default: boolean;
  model: string | null;
  capabilities: string[];
  ok: boolean;
  problems: string[];
}

/** The agents of the config, and whether each can work. */
export function Agents() {
  const agents = useResource('agents', (signal) => get<Page<AgentSummary>>('/agents', {}, signal));
  return (
    <PageFrame title="Agents">
      <Loaded of={agents} lines={6}>
        {({ items }) => (items.length === 0 ? <NoAgents /> : <AgentTable items={items} />)}
      </Loaded>
    </PageFrame>
  );
}

function AgentTable({ items }: { items: readonly AgentSummary[] }) {
  return (
    <div class="table-wrap">
      <table class="table auto" aria-label="Agents">
        <thead>
          <tr>
            <th scope="col">Agent</th>
            <th scope="col">Can use</th>
            <th scope="col" class="lesser">
              Model
            </th>
            <th scope="col">State</th>
          </tr>
        </thead>
        <tbody>
          {items.map(({ name, is_default, model, capabilities, ok, problems }) => (
            <tr class="data" key={name}>
              <td>
                <a class="name" href={to('agents', name)}>
                  {bounded(name, 80)}
                </a>{' '}
                {is_default && <span class="badge">default</span>}
              </td>
              <td>
                {bounded(capabilities.join(', '), 300) || (
                  <span class="muted">only PML's own tools that read</span>
                )}
              </td>
              <td class="lesser">{model ? bounded(model, 80) : <span class="muted">–</span>}</td>
              <td>
                {ok ? (
                  <span class="badge good">ok</span>
                ) : (
                  <span class="badge bad" title={problems.join('\n')}>
                    {plural(problems.length, 'problem')}
                  </span>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function NoAgents() {
  return (
    <Empty icon="agents" title="No agents yet">
      <p>
        An agent in <code>pml.json</code> has a name and a <code>capabilities</code> object, which is its
        whole permission: on the list of tools and inside the sandbox alike. Its clients connect to{' '}
        <code>/agents/NAME/mcp</code>.
      </p>
    </Empty>
  );
}
