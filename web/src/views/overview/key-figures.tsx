import type { Overview } from '../../api/types.ts';
import { count, percent, plural, short } from '../../text/format.ts';

/** The five figures that say whether memory works. */
export function KeyFigures({ data }: { data: Overview }) {
  const { totals, capabilities } = data;
  const figures = [
    {
      name: 'Calls',
      value: short(totals.calls),
      title: count(totals.calls),
      href: `/runs?since=${data.since}`,
      note: plural(totals.cached, 'from cache', 'from cache'),
    },
    {
      name: 'Success',
      value: percent(totals.success_rate),
      href: `/runs?outcome=failed&since=${data.since}`,
      note:
        totals.success_rate === null
          ? 'no calls yet'
          : totals.success_rate === 1
            ? 'none failed'
            : 'see what failed',
    },
    {
      name: 'Capabilities',
      value: short(capabilities.total),
      href: '/capabilities',
      note: `${count(capabilities.learned)} learned in this span`,
    },
    {
      name: 'Reused',
      value: short(capabilities.reused),
      href: '/runs?kind=run',
      note: 'calls of capabilities',
    },
    {
      name: 'Unnamed',
      value: short(capabilities.unnamed),
      href: '/inbox?kind=unnamed',
      note: capabilities.unnamed > 0 ? 'name them in the inbox' : 'all have names',
    },
  ];
  return (
    <ul class="figures">
      {figures.map(({ name, value, href, note, title }) => (
        <li key={name}>
          <a class="figure" href={href} title={title}>
            <span class="muted">{name}</span>
            <span class="value">{value}</span>
            <span class="muted small">{note}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}
