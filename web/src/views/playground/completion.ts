import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import type { ToolTypes } from '../../api/types.ts';
import { visible } from '../../text/visible.ts';

type Tool = ToolTypes['tools'][number];
const GLOBALS: Completion[] = [
  { label: 'mcp', type: 'namespace', detail: 'the tools of all servers' },
  { label: 'args', type: 'variable', detail: 'the arguments of the run' },
  { label: 'pml', type: 'namespace', detail: 'reads capabilities: lookup, query, history, whois' },
];
const PATH = /\bmcp(?:\.[\w$]*)*$/;

/** Completes `mcp.server.tool` from the types of the tools that the gateway has now. */
export function toolCompletion(
  tools: readonly Tool[],
): (context: CompletionContext) => CompletionResult | null {
  return (context) => {
    const line = context.state.doc.lineAt(context.pos);
    const before = line.text.slice(0, context.pos - line.from);
    const path = PATH.exec(before)?.[0];
    if (path?.includes('.')) return completePath(tools, path, context.pos);
    const word = context.matchBefore(/\w+$/);
    return word ? { from: word.from, options: GLOBALS } : null;
  };
}

function completePath(tools: readonly Tool[], path: string, at: number): CompletionResult | null {
  const parts = path.split('.');
  const typed = parts.at(-1) as string;
  const prefix = `${parts.slice(0, -1).join('.')}.`;
  const options = new Map<string, Completion>();
  for (const tool of tools) {
    if (!tool.path.startsWith(prefix)) continue;
    const [next = '', ...deeper] = tool.path.slice(prefix.length).split('.');
    if (!options.has(next))
      options.set(next, deeper.length > 0 ? { label: next, type: 'namespace' } : completionOf(next, tool));
  }
  return options.size > 0
    ? { from: at - typed.length, options: [...options.values()], validFor: /^[\w$]*$/ }
    : null;
}

function completionOf(label: string, { signature, description }: Tool): Completion {
  return {
    label,
    type: 'function',
    apply: `${label}({ })`,
    info: () => {
      const element = document.createElement('div');
      const code = document.createElement('code');
      code.textContent = visible(signature.slice(0, 600));
      const text = document.createElement('p');
      text.textContent = visible(description.slice(0, 400));
      element.append(code, text);
      return element;
    },
  };
}
