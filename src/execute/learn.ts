import {
  generalise,
  hashOf,
  inferNamespace,
  inferParametersSchema,
  type Program,
  parse,
  rewriteReferences,
  splitVersion,
} from '../code/index.ts';
import type { JsonSchema, Learned, Routing } from '../registry/index.ts';
import { canonicalName, type Target } from './targets.ts';

/** What is worth keeping of code that ran well: the same code with its data made parameters. */
export function learn(
  program: Program,
  targets: ReadonlyMap<string, Target>,
  used: Iterable<Target>,
  about: { intent: string; name?: string | undefined },
): Learned & { routing: Routing } {
  const toolSchema = (name: string) => schemaOf(targets.get(name));
  const { code, parameters } = generalise(program, { toolSchema });
  const parametersSchema = inferParametersSchema(parse(code), { parameters, toolSchema }) as JsonSchema;
  const fqdns = new Map(
    [...targets].flatMap(([name, target]) =>
      target.kind === 'capability' ? [[name, pinned(target.capability.fqdn, name)] as const] : [],
    ),
  );
  const saved = rewriteReferences(code, fqdns);
  const nameOf = (spelling: string) => {
    const target = targets.get(spelling);
    return target && canonicalName(target);
  };
  const reached = [...targets.values(), ...used];
  const toolsUsed = [...new Set(reached.map(canonicalName))];
  return {
    code: saved,
    codeHash: hashOf(saved, { nameOf }),
    parametersSchema,
    toolsUsed,
    namespace: inferNamespace(toolsUsed),
    intent: about.intent,
    name: about.name,
    routing: routingOf(reached),
  };
}

/** A reference keeps the version it was written with; what it was written without stays the latest. */
function pinned(fqdn: string, spelling: string): string {
  const { version } = splitVersion(spelling);
  return version === undefined || version === 'latest' ? fqdn : `${fqdn}@${version}`;
}

/** What uses anything local must itself run there. */
function routingOf(reached: readonly Target[]): Routing {
  const isLocal = (target: Target) =>
    (target.kind === 'tool' ? target.entry.upstream.server.routing : target.capability.routing) === 'local';
  return reached.some(isLocal) ? 'local' : 'cloud';
}

function schemaOf(target: Target | undefined): JsonSchema | undefined {
  if (!target) return undefined;
  if (target.kind === 'capability') return target.capability.parametersSchema;
  return target.entry.listed.inputSchema as JsonSchema | undefined;
}
