import type { Overview } from '../../api/types.ts';
import { ServerState } from '../../components/badges.tsx';
import { Icon, type IconName } from '../../components/icon.tsx';
import { Card } from '../../components/page.tsx';
import { Empty } from '../../components/states.tsx';
import { to } from '../../router/router.ts';
import { inboxCount } from '../../shell/inbox-count.ts';
import { count, plural } from '../../text/format.ts';

/** Lists what needs a person. */
export function Attention({ data }: { data: Overview }) {
  const { stale, failing, unused, unnamed } = data.capabilities;
  const rows: { name: string; amount: number; href: string; icon: IconName; tone: string; about: string }[] =
    [
      {
        name: 'Failing',
        amount: failing,
        href: '/inbox?kind=failing',
        icon: 'warning',
        tone: 'bad',
        about: 'most recent calls failed',
      },
      {
        name: 'Stale',
        amount: stale,
        href: '/inbox?kind=stale',
        icon: 'warning',
        tone: 'warn',
        about: 'their tools changed',
      },
      {
        name: 'Unnamed',
        amount: unnamed,
        href: '/inbox?kind=unnamed',
        icon: 'spark',
        tone: 'accent',
        about: 'agents find named ones',
      },
      {
        name: 'Unused',
        amount: unused,
        href: '/inbox?kind=unused',
        icon: 'inbox',
        tone: 'muted',
        about: 'not called for long',
      },
    ];
  const waiting = rows.filter(({ amount }) => amount > 0);
  return (
    <Card
      title="Needs attention"
      flush
      acts={
        !!inboxCount.value && (
          <a class="link small" href="/inbox">
            Inbox ({count(inboxCount.value)})
          </a>
        )
      }
    >
      {waiting.length === 0 && (
        <Empty compact icon="check" title="Nothing to decide">
          <p>Every capability has a name, works, and is used.</p>
        </Empty>
      )}
      {waiting.map(({ name, amount, href, icon, tone, about }) => (
        <a class="list-item" href={href} key={name}>
          <span class={tone}>
            <Icon name={icon} />
          </span>
          <span class="strong">{name}</span>
          <span class="muted truncate">{about}</span>
          <span class="spacer" />
          <span>{count(amount)}</span>
        </a>
      ))}
    </Card>
  );
}

const MOST_SHOWN = 8;

export function ServerHealth({ servers }: { servers: Overview['servers'] }) {
  // Those with a problem first: they are why one looks here.
  const sorted = [...servers].sort((a, b) => Number(a.state === 'ready') - Number(b.state === 'ready'));
  return (
    <Card
      title="Servers"
      flush
      acts={
        <a class="link small" href="/servers">
          All
        </a>
      }
    >
      {servers.length === 0 && (
        <Empty compact icon="servers" title="No servers yet">
          <p>
            <code>pml add NAME -- COMMAND</code> puts one behind the gateway.
          </p>
        </Empty>
      )}
      {sorted.slice(0, MOST_SHOWN).map(({ name, state, problem, tools }) => (
        <a class="list-item" href={to('servers', name)} key={name} title={problem}>
          <ServerState state={state} />
          <span class="strong truncate">{name}</span>
          <span class="spacer" />
          <span class="muted nowrap">{plural(tools, 'tool')}</span>
        </a>
      ))}
      {servers.length > MOST_SHOWN && (
        <p class="table-foot">{plural(servers.length - MOST_SHOWN, 'more', 'more')}</p>
      )}
    </Card>
  );
}
