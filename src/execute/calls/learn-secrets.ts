import { schemaAt } from '../../code/index.ts';
import type { JsonSchema } from '../../json.ts';
import { displayName, type ResolvedName } from '../run/resolve-names.ts';
import type { Run } from '../run/run.ts';

/**
 * Teaches the run's redactor the secrets among the arguments of a call, by key, schema and shape. What a run really passed
 * decides what is secret in its code, whichever way the code handed it on.
 */
export function learnSecretsPassed(run: Run, callee: ResolvedName, given: unknown): void {
  const schema = inputSchemaOf(callee);
  run.redactor.learnPassed(given, displayName(callee), {
    hintsAt: schema && ((path) => schemaAt(schema, path)),
    isNested: run.callChain.length > 0,
    isHandedOn: callee.kind === 'capability',
  });
}

/** The schema of what a tool or capability takes. */
export function inputSchemaOf(callee: ResolvedName): JsonSchema | undefined {
  if (callee.kind === 'capability') return callee.capability.parametersSchema;
  return callee.entry.listed.inputSchema as JsonSchema | undefined;
}
