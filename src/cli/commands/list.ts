import type { Invocation } from '../command.ts';
import { firstLine, successText } from '../format-text.ts';
import { commaSeparated, oneOf, VISIBILITIES, wholeNumber } from '../option-values.ts';
import { table } from '../table.ts';
import { type ToolAnswer, toolCommand } from '../tool-command.ts';

const NOTHING_YET =
  'Nothing is remembered yet. PML remembers code that succeeds: run by your agent with pml_execute, or here with pml exec.';

export const command = toolCommand({
  tool: 'cap_list',
  usage: 'list [PATTERN] [options]',
  about: `Lists capabilities, the most used first. PATTERN is a glob on the name.

  pml list 'fs:*' --sort name

  --namespace NS    the part of the name before the colon
  --named           only those that have been named (--unnamed: only the others)
  --created-by WHO  a glob on the creator
  --tags A,B        only those with all of these tags
  --visibility V    private, project, org or public
  --type T          capability (default) or mcp-server
  --tag GLOB        a glob on the tag of the newest version, as in 'v1.*'
  --retired         those that were taken out of use; pml restore brings one back
  --sort BY         usage (default), name or created
  --limit N         how many to list (50); --offset N skips the first N`,
  options: {
    namespace: { type: 'string' },
    named: { type: 'boolean' },
    unnamed: { type: 'boolean' },
    'created-by': { type: 'string' },
    tags: { type: 'string' },
    tag: { type: 'string' },
    visibility: { type: 'string' },
    type: { type: 'string' },
    retired: { type: 'boolean' },
    sort: { type: 'string' },
    limit: { type: 'string' },
    offset: { type: 'string' },
  },
  positionals: [0, 1],
  input: ({ values, positionals }) => ({
    pattern: positionals[0],
    namespace: values.namespace,
    named_only: values.named,
    unnamed_only: values.unnamed,
    created_by: values['created-by'],
    tags: commaSeparated(values.tags),
    visibility: oneOf(values.visibility, '--visibility', VISIBILITIES),
    type: oneOf(values.type, '--type', ['capability', 'mcp-server']),
    version_tag: values.tag,
    retired: values.retired,
    sort_by: oneOf(values.sort, '--sort', ['usage', 'name', 'created']),
    limit: wholeNumber(values.limit, '--limit', { least: 1, most: 1000 }),
    offset: wholeNumber(values.offset, '--offset'),
  }),
  format: ({ capabilities, total }, terminal, invocation) => {
    const { values, positionals } = invocation;
    const isFiltered = positionals.length > 0 || Object.keys(values).length > 0;
    if (total === 0) return isFiltered ? 'No capability matches.' : NOTHING_YET;
    const rows = capabilities.map((capability: ToolAnswer) => [
      capability.name,
      `@${capability.version}`,
      String(capability.usage_count),
      successText(capability.success_rate),
      capability.visibility,
      remark(capability),
    ]);
    const head = ['NAME', 'VERSION', 'CALLS', 'SUCCESS', 'VISIBILITY', 'DESCRIPTION'];
    return [table(head, rows, terminal), ...moreOf(capabilities.length, total, values)].join('\n');
  },
});

/** Says how many there are besides those that are shown, and how to see them. */
function moreOf(shown: number, total: number, { offset }: Invocation['values']): string[] {
  if (shown >= total) return [];
  const next = Number(offset ?? 0) + shown;
  const advice = next < total ? `. Add --offset ${next} for the next ones, or --limit N for more.` : '';
  return [`${shown} of ${total}${advice}`];
}

/** Says what is wrong with a capability, else what it is for. */
function remark({ stale, unlisted, retired_at, configured, description }: ToolAnswer): string {
  if (retired_at) return firstLine(`retired ${retired_at.slice(0, 10)}: ${description}`, 100);
  if (configured === false) return 'not configured here';
  if (stale) return firstLine(`stale: ${stale}`, 100);
  return unlisted ? firstLine(`unlisted: ${unlisted}`, 100) : firstLine(description);
}
