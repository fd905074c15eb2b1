/** The parts of `code/` that only tests and benchmarks use on their own. */
export type { Json, JsonSchema } from '../json.ts';
export { Redactor } from '../secrets/index.ts';
export { hashOf, normalForm } from './identity/normal-form.ts';
export { classifyLiteral } from './literals/classify-literal.ts';
export { generalise } from './parameters/generalise.ts';
export { inferParametersSchema } from './parameters/infer-parameters.ts';
export { findReferences } from './references/find-references.ts';
export { createLookup } from './references/resolve-references.ts';
export { rewriteReferences } from './references/rewrite-references.ts';
export { callsWithArguments } from './schema/argument-schemas.ts';
export { isReadOnlyTool } from './schema/read-only-tool.ts';
export type { Program } from './syntax/ast.ts';
export { parse } from './syntax/parse.ts';
export { ParseError } from './syntax/parse-error.ts';
export { stripTypes, toFunctionBody } from './syntax/strip-types.ts';
export { accept, originalPosition } from './tasks/accept.ts';
export { type LearnedCode, learn } from './tasks/learn.ts';
export { prepareRun, valueOrigin } from './tasks/prepare-run.ts';
