import type { Terminal } from '../terminal.ts';
import { percent, record, short, table } from './show.ts';
import { type Answer, listOf, numberOf, toolCommand } from './tool-command.ts';

export const listCommand = toolCommand({
  tool: 'cap_list',
  summary: 'list remembered capabilities',
  usage: 'list [PATTERN] [options]',
  about: `Lists capabilities, the most used first. PATTERN is a glob on the name.

  pml list 'fs:*' --sort name

  --namespace NS    the part of the name before the colon
  --named           only those that somebody named (--unnamed: only the others)
  --created-by WHO  a glob too
  --tags A,B        only those that have all of these
  --visibility V    private, project, org or public
  --type T          capability (default) or mcp-server
  --sort BY         usage (default), name or created
  --limit N         how many (50), --offset N after how many`,
  options: {
    namespace: { type: 'string' },
    named: { type: 'boolean' },
    unnamed: { type: 'boolean' },
    'created-by': { type: 'string' },
    tags: { type: 'string' },
    visibility: { type: 'string' },
    type: { type: 'string' },
    sort: { type: 'string' },
    limit: { type: 'string' },
    offset: { type: 'string' },
  },
  words: [0, 1],
  input: ({ values, positionals }) => ({
    pattern: positionals[0],
    namespace: values.namespace,
    named_only: values.named,
    unnamed_only: values.unnamed,
    created_by: values['created-by'],
    tags: listOf(values.tags),
    visibility: values.visibility,
    type: values.type,
    sort_by: values.sort,
    limit: numberOf(values.limit, '--limit'),
    offset: numberOf(values.offset, '--offset'),
  }),
  show: ({ capabilities, total }, terminal) => {
    if (total === 0) return 'No capability fits.';
    const rows = capabilities.map((one: Answer) => [
      one.name,
      `v${one.version}`,
      String(one.usage_count),
      percent(one.success_rate),
      one.visibility,
      remark(one),
    ]);
    const head = ['NAME', 'VERSION', 'CALLS', 'SUCCESS', 'VISIBILITY', 'DESCRIPTION'];
    const more = total > capabilities.length ? `\n${capabilities.length} of ${total}` : '';
    return `${table(head, rows, terminal)}${more}`;
  },
});

/** What there is to say of a capability in one line: what is wrong with it, else what it is for. */
function remark({ stale, unlisted, description }: Answer): string {
  if (stale) return short(`stale: ${stale}`, 100);
  return unlisted ? short(`unlisted: ${unlisted}`, 100) : short(description);
}

export const lookupCommand = toolCommand({
  tool: 'cap_lookup',
  summary: 'say what a name means',
  usage: 'lookup NAME',
  about: `Finds a capability by any spelling: its name, a former name, its full name, with @v1, @v1.2.0 or @2025-12-22.

  pml lookup fs:read_json@v1`,
  words: [1, 1],
  input: ({ positionals }) => ({ name: positionals[0] }),
  show: record,
});

export const whoisCommand = toolCommand({
  tool: 'cap_whois',
  summary: 'show all about a capability, with its code',
  usage: 'whois NAME',
  about:
    'Shows the whole record: who made it and when, version, trust, former names, statistics, tools and code.',
  words: [1, 1],
  input: ({ positionals }) => ({ name: positionals[0] }),
  show: record,
});

export const historyCommand = toolCommand({
  tool: 'cap_history',
  summary: 'show the versions of a capability',
  usage: 'history NAME',
  about: 'Shows every version, newest first, with what it changed.',
  words: [1, 1],
  input: ({ positionals }) => ({ name: positionals[0] }),
  show: ({ versions }, terminal) => versions.map((one: Answer) => version(one, terminal)).join('\n\n'),
});

export const statsCommand = toolCommand({
  tool: 'cap_stats',
  summary: 'show how tools and capabilities do',
  usage: 'stats [NAME] [--since WHEN]',
  about: `Shows calls, success and latency by server, tool and capability; only those of NAME, if given.

  pml stats --since 7d`,
  options: { since: { type: 'string' } },
  words: [0, 1],
  input: ({ values, positionals }) => ({ name: positionals[0], since: values.since }),
  show: (answer, terminal) => {
    const all = { name: 'all', ...answer };
    const kinds = [['', [all]], ...['servers', 'tools', 'capabilities'].map((kind) => [kind, answer[kind]])];
    const rows = kinds.flatMap(([kind, list]) =>
      list.map((one: Answer) => [
        kind,
        one.name,
        ...[one.calls, percent(one.success_rate), `${one.p50_ms} ms`, `${one.p95_ms} ms`].map(String),
      ]),
    );
    const head = ['KIND', 'NAME', 'CALLS', 'SUCCESS', 'P50', 'P95'];
    return [table(head, rows, terminal), ...remarks(answer)].join('\n');
  },
});

function remarks({ unnamed, unlisted, listing }: Answer): string[] {
  if (listing) return [`${listing.listed ? 'Listed as a tool' : 'Not listed as a tool'}: ${listing.why}.`];
  const out = unlisted.unused + unlisted.failing;
  const why = `${unlisted.unused} unused, ${unlisted.failing} failing`;
  return [
    `${unnamed} capabilities have no name yet.`,
    ...(out > 0 ? [`${out} are not listed as tools (${why}); pml list says which.`] : []),
  ];
}

function version(one: Answer, terminal: Terminal): string {
  const tag = one.version_tag ? ` (${one.version_tag})` : '';
  const head = terminal.style('bold', `v${one.version}${tag}`);
  return `${head}  ${one.updated_at}  ${one.updated_by}  ${one.change_summary}\n${one.diff.trimEnd()}`;
}
