export type { Program } from './ast.ts';
export { findCalls, type McpReference } from './calls.ts';
export { essenceOf } from './essence.ts';
export { type Generalised, generalise, type JudgedLiteral } from './generalise.ts';
export { type InferenceSources, inferParametersSchema } from './infer-schema.ts';
export type { Json, JsonSchema, ToolSchema } from './json.ts';
export { MAX_SOURCE } from './limits.ts';
export { type Judgement, judge, type Literal, type Verdict } from './literal-rules.ts';
export { type Position, positionAt, type Span, SyntaxFault } from './locate.ts';
export { JUDGING_STEPS, misfits } from './misfits.ts';
export { inferNamespace } from './namespace.ts';
export { hashOf, type NormalFormOptions, normalForm } from './normal-form.ts';
export type { Parameter } from './parameter-names.ts';
export { type Code, parse } from './parse.ts';
export { type PassedCall, passedCalls } from './passed.ts';
export {
  type Lookup,
  lookupOf,
  type ReferenceProblem,
  type Resolution,
  type ResolvedReference,
  resolveReferences,
  splitVersion,
} from './resolve.ts';
export { type NewNames, referenceText, rewriteReferences } from './rewrite.ts';
export { printSignature, type SignatureOptions } from './signature.ts';
export { soundSchema } from './sound-schema.ts';
export { type FunctionBody, stripTypes, toFunctionBody } from './strip-types.ts';
export { foldName, suggest } from './suggest.ts';
export { type ExaminedCode, examine as examineCode } from './tasks/examine.ts';
export { onCode } from './tasks/index.ts';
export type { KnownReferences } from './tasks/learn.ts';
export type { ReadCode } from './tasks/read.ts';
export { excerptOf } from './tool-schema.ts';
