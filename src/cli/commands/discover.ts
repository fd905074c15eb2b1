import { inCommandWords } from '../command-words.ts';
import { firstLine, indent } from '../format-text.ts';
import { oneOf, wholeNumber } from '../option-values.ts';
import { wrongUse } from '../parse-arguments.ts';
import type { Terminal } from '../terminal.ts';
import { type ToolAnswer, toolCommand } from '../tool-command.ts';

export const command = toolCommand({
  tool: 'pml_discover',
  usage: 'discover [INTENT…] [options]',
  about: `Finds the tools and capabilities for an intent, best first. Several intents are each answered.

  pml discover "read a JSON file" "send a mail"
  pml discover --server github

  --kind K      only tools, or only capabilities: tool or capability
  --server S    only of this server; without an intent its tools are listed
  --limit N     how many to show (10); --offset N skips the first N of a list`,
  options: {
    kind: { type: 'string' },
    server: { type: 'string' },
    limit: { type: 'string' },
    offset: { type: 'string' },
  },
  positionals: [0, 10],
  input: ({ values, positionals }) => {
    if (positionals.length === 0 && values.server === undefined)
      throw wrongUse('discover', 'say what to find in a few words, or list the tools of a --server.');
    return {
      ...(positionals.length === 1 ? { intent: positionals[0] } : {}),
      ...(positionals.length > 1 ? { intents: positionals } : {}),
      kind: oneOf(values.kind, '--kind', ['tool', 'capability']),
      server: values.server,
      limit: wholeNumber(values.limit, '--limit', { least: 1, most: 50 }),
      offset: wholeNumber(values.offset, '--offset'),
    };
  },
  format: ({ message, results, total }, terminal) => {
    const lines = results.flatMap((result: ToolAnswer) => resultLines(result, terminal));
    const more = total > results.length ? [`${results.length} of ${total}`] : [];
    return [...lines, ...more, ...(message ? [inCommandWords(message)] : [])].join('\n');
  },
});

function resultLines(result: ToolAnswer, terminal: Terminal): string[] {
  const { name, kind, score, description, signature, usage_count, flagged, stale } = result;
  const facts = [kind, ...(score === undefined ? [] : [`score ${score}`])];
  if (usage_count !== undefined) facts.push(`${usage_count} calls`);
  return [
    `${terminal.style('bold', name)}  (${facts.join(', ')})`,
    ...[flagged, stale && `stale: ${stale}`].filter(Boolean).map(indent),
    ...(description ? [indent(firstLine(description, 100))] : []),
    indent(signature),
  ];
}
