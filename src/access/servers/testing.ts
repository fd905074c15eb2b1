import { after } from 'node:test';
import { openLog } from '../../log.ts';
import { Redactor } from '../../secrets/index.ts';
import { Upstream } from '../../upstream/index.ts';
import type { BackingContext, BuiltInResolver } from '../agents/built-in-resolver.ts';
import type { ResolvedConfig } from '../agents/types.ts';

/** Opens the server behind a built-in capability, as a workspace does. Closed when the tests end. */
export async function openServer(
  resolver: BuiltInResolver,
  context: Partial<BackingContext>,
  config: ResolvedConfig = { tools: [] },
): Promise<Upstream> {
  const who = { user: 'ana', org: 'acme', project: 'web' };
  const all = {
    agent: 'analyst',
    who,
    redactor: new Redactor(),
    protectedPaths: [],
    ...context,
  } as BackingContext;
  const server = resolver.backing?.(all, config);
  if (!server) throw new Error(`${resolver.key} has no server of its own`);
  const upstream = new Upstream({ server, log: openLog({ level: 'silent' }) });
  after(() => upstream.close());
  await upstream.settled();
  if (upstream.state !== 'ready') throw new Error(`it ${upstream.problem}`);
  return upstream;
}

export interface ToolAnswer {
  isError: boolean;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests know what their tools answer.
  data: any;
}

export async function callTool(upstream: Upstream, name: string, args: object): Promise<ToolAnswer> {
  const { signal } = new AbortController();
  const result = await upstream.request(
    'tools/call',
    { name, arguments: args },
    { signal, session: 'tests' },
  );
  const [block] = result.content as { text: string }[];
  return { isError: result.isError === true, text: block?.text ?? '', data: result.structuredContent };
}
