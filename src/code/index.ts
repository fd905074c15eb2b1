export { hashOf, type NormalFormOptions, normalForm } from './identity/normal-form.ts';
export { type Judgement, judge, type Literal, type Verdict } from './literals/classify-literal.ts';
export { type Generalised, generalise, type JudgedLiteral } from './parameters/generalise.ts';
export { type InferenceSources, inferParametersSchema } from './parameters/infer-parameters.ts';
export type { Parameter } from './parameters/parameter-names.ts';
export { findReferences, type McpReference } from './references/find-references.ts';
export { inferNamespace } from './references/infer-namespace.ts';
export {
  createLookup,
  type Lookup,
  type ReferenceProblem,
  type Resolution,
  type ResolvedReference,
  resolveReferences,
  splitVersion,
} from './references/resolve-references.ts';
export { type NewNames, referenceText, rewriteReferences } from './references/rewrite-references.ts';
export { foldName, suggest } from './references/suggest-names.ts';
export { type CallWithArguments, callsWithArguments } from './schema/argument-schemas.ts';
export { canonicalSchema } from './schema/canonical-schema.ts';
export { COMPARISON_STEPS, incompatibilities } from './schema/incompatibilities.ts';
export { sanitiseSchema } from './schema/sanitise-schema.ts';
export { printSignature, type SignatureOptions } from './schema/signature.ts';
export { excerptSchema } from './schema/tool-schema.ts';
export type { Program } from './syntax/ast.ts';
export { type Code, parse } from './syntax/parse.ts';
export { ParseError, type Position, positionAt, type Span } from './syntax/positions.ts';
export { MAX_SOURCE } from './syntax/source-limits.ts';
export { type FunctionBody, stripTypes, toFunctionBody } from './syntax/strip-types.ts';
export { type ExaminedCode, examine as examineCode } from './tasks/examine.ts';
export type { KnownReferences } from './tasks/learn.ts';
export type { ReadCode } from './tasks/prepare-run.ts';
export { runCodeTask } from './tasks/run-code-task.ts';
