export { findLinks, type Link } from './links/index.ts';
export { mutatedValue } from './literals/mutate-literals.ts';
export { isLinked } from './parameters/infer-parameters.ts';
export { executesSql } from './parameters/is-read-call.ts';
export { ordinalWord } from './parameters/ordinals.ts';
export type { Parameter } from './parameters/parameter-names.ts';
export type { KnownVerdicts, ParameterVerdict } from './parameters/parameter-verdicts.ts';
export { type Functions, sourceFunction } from './references/desugar-calls.ts';
export type { McpReference } from './references/find-references.ts';
export { inferNamespace } from './references/infer-namespace.ts';
export { READS_KEPT_RESULT } from './references/reads-kept-result.ts';
export { resolveReferences, splitVersion } from './references/resolve-references.ts';
export { memberReference, referenceText } from './references/rewrite-references.ts';
export { foldName, suggestNames } from './references/suggest-names.ts';
export type { ReadProperty, ValueOrigin } from './references/value-origin.ts';
export type { CallWithArguments, LiteralCall } from './schema/argument-schemas.ts';
export { canonicalSchema } from './schema/canonical-schema.ts';
export {
  argumentProblems,
  correctArguments,
  describeProblems,
  type PassedArguments,
} from './schema/check-arguments.ts';
export { coversOutput, declaredOutput, fitOutput } from './schema/declare-output.ts';
export { excerptSchema } from './schema/excerpt-schema.ts';
export { COMPARISON_STEPS, incompatibilities } from './schema/incompatibilities.ts';
export { inferOutput, loosenOutput, sampleOutput, uniteOutputs } from './schema/infer-output.ts';
export { isTelling, limitOutput, sharedNames, withoutNames } from './schema/limit-output.ts';
export { isReadOnlyTool, type ToolFacts } from './schema/read-only-tool.ts';
export { sanitiseSchema } from './schema/sanitise-schema.ts';
export { printSignature, printType } from './schema/signature.ts';
export { resolvePointer, schemaAt } from './schema/tool-schema.ts';
export { widenSchema } from './schema/widen-schema.ts';
export { describeSqlPattern } from './sql/sql-hole.ts';
export { MAX_SOURCE } from './syntax/source-limits.ts';
export type { SentCode } from './tasks/accept.ts';
export { examine as examineCode } from './tasks/examine.ts';
export type { KnownReferences } from './tasks/learn.ts';
export type { PreparedCode, RunnableCode } from './tasks/prepare-run.ts';
export { runCodeTask } from './tasks/run-code-task.ts';
