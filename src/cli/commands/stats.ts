import { successText } from '../format-text.ts';
import { table } from '../table.ts';
import { type ToolAnswer, toolCommand } from '../tool-command.ts';

export const command = toolCommand({
  tool: 'cap_stats',
  usage: 'stats [NAME] [--since WHEN]',
  about: `Shows calls, success and latency by server, tool and capability; with NAME, only of that one.

  pml stats --since 7d`,
  options: { since: { type: 'string' } },
  completes: 'capabilities',
  positionals: [0, 1],
  input: ({ values, positionals: [name] }) => ({ name, since: values.since }),
  format: (answer, terminal) => {
    const all = { name: 'all', ...answer };
    const kinds = [['', [all]], ...['servers', 'tools', 'capabilities'].map((kind) => [kind, answer[kind]])];
    const rows = kinds.flatMap(([kind, entries]) =>
      entries.map(({ name, configured, calls, success_rate, p50_ms, p95_ms }: ToolAnswer) => [
        kind,
        configured === false ? `${name} (not configured here)` : name,
        ...[calls, successText(success_rate), `${p50_ms} ms`, `${p95_ms} ms`].map(String),
      ]),
    );
    const head = ['KIND', 'NAME', 'CALLS', 'SUCCESS', 'P50', 'P95'];
    return [table(head, rows, terminal), ...remarks(answer)].join('\n');
  },
});

function remarks({ unnamed, unlisted, listing }: ToolAnswer): string[] {
  if (listing) return [`${listing.listed ? 'Listed as a tool' : 'Not listed as a tool'}: ${listing.why}.`];
  const total = unlisted.unused + unlisted.failing;
  const why = `${unlisted.unused} unused, ${unlisted.failing} failing`;
  return [
    `${unnamed} capabilities have no name yet.`,
    ...(total > 0 ? [`${total} are not listed as tools (${why}); pml list says which.`] : []),
  ];
}
