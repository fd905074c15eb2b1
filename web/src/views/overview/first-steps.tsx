import { session } from '../../api/client.ts';
import type { Overview } from '../../api/types.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { Icon } from '../../components/icon.tsx';
import { Card } from '../../components/page.tsx';

const SERVER = 'pml add files -- npx -y @modelcontextprotocol/server-filesystem .';

/** The way from a new home to the first capability. */
export function FirstSteps({ steps }: { steps: NonNullable<Overview['first_steps']> }) {
  const address = session.value?.mcp_url ?? `${location.origin}/mcp`;
  const client = `claude mcp add --transport http pml ${address}`;
  const all = [
    {
      done: steps.has_servers,
      title: 'Put a server behind PML',
      body: (
        <Command text={SERVER} note="or `pml init`, which takes over the servers of your other clients" />
      ),
    },
    {
      done: steps.has_client,
      title: 'Connect your agent',
      body: (
        <Command text={client} note={`any MCP client can use ${address}, or the command \`pml serve\``} />
      ),
    },
    {
      done: steps.has_run,
      title: 'Let it work once',
      body: (
        <p class="muted">
          Ask your agent for something that takes several tools, or try it yourself in the{' '}
          <a class="link" href="/playground">
            playground
          </a>
          . What succeeds is remembered, and becomes a tool.
        </p>
      ),
    },
  ];
  return (
    <Card title="Three steps to the first capability">
      <ol class="steps">
        {all.map(({ done, title, body }, index) => (
          <li class={done ? 'step done' : 'step'} key={title}>
            <span class="step-mark">{done ? <Icon name="check" size={12} /> : index + 1}</span>
            <div class="stack tight">
              <span class="strong">
                {title}
                {done && <span class="visually-hidden"> (done)</span>}
              </span>
              {body}
            </div>
          </li>
        ))}
      </ol>
    </Card>
  );
}

function Command({ text, note }: { text: string; note: string }) {
  return (
    <>
      <div class="command">
        <code>{text}</code>
        <CopyButton text={text} />
      </div>
      <p class="muted small">{note}</p>
    </>
  );
}
