import {
  type JsonSchema as CodeSchema,
  generalise,
  hashOf,
  inferNamespace,
  inferParametersSchema,
  type Program,
  parse,
  rewriteReferences,
  withoutSecrets,
} from '../code/index.ts';
import type { JsonSchema, Learned } from '../registry/index.ts';
import { canonicalName, type Target } from './targets.ts';

/** What is worth keeping of code that ran well: the same code with its data made parameters. */
export function learn(
  program: Program,
  targets: ReadonlyMap<string, Target>,
  used: Iterable<string>,
  about: { intent: string; name?: string | undefined; args?: Record<string, unknown> | undefined },
): Learned | { unsafe: string } {
  const toolSchema = (name: string) => schemaOf(targets.get(name));
  const { code, parameters, unsafe } = generalise(program, { toolSchema });
  if (unsafe !== undefined) return { unsafe };
  const inferred = inferParametersSchema(parse(code), { parameters, toolSchema });
  const given = new Set([...Object.keys(about.args ?? {}), ...parameters.map(({ name }) => name)]);
  const parametersSchema = withoutDemandsBeyond(given, inferred);
  const fqdns = new Map(
    [...targets].flatMap(([name, target]) =>
      target.kind === 'capability' ? [[name, target.capability.fqdn] as const] : [],
    ),
  );
  const saved = rewriteReferences(code, fqdns);
  const nameOf = (spelling: string) => {
    const target = targets.get(spelling);
    return target && canonicalName(target);
  };
  const toolsUsed = [...new Set([...[...targets.values()].map(canonicalName), ...used])];
  return {
    code: saved,
    codeHash: hashOf(saved, { nameOf }),
    parametersSchema,
    toolsUsed,
    namespace: inferNamespace(toolsUsed),
    // An intent may quote what the code holds, and is shown to all who see the capability.
    intent: withoutSecrets(about.intent),
    name: about.name,
  };
}

/** What the run itself did without, its capability cannot need. */
function withoutDemandsBeyond(
  given: ReadonlySet<string>,
  { required = [], ...schema }: CodeSchema,
): JsonSchema {
  const needed = required.filter((name) => given.has(name));
  return needed.length > 0 ? { ...schema, required: needed } : schema;
}

function schemaOf(target: Target | undefined): JsonSchema | undefined {
  if (!target) return undefined;
  if (target.kind === 'capability') return target.capability.parametersSchema;
  return target.entry.listed.inputSchema as JsonSchema | undefined;
}
