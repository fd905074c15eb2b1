import type { JsonSchema } from '../../json.ts';
import { hashOf } from '../identity/normal-form.ts';
import { namesAllCallees } from '../references/named-callees.ts';
import { rewriteReferences } from '../references/rewrite-references.ts';
import { callsWithArguments } from '../schema/argument-schemas.ts';
import { parse } from '../syntax/parse.ts';
import type { KnownReferences, LearnedCode } from './learn.ts';

export interface AdaptOptions extends Pick<KnownReferences, 'renamed' | 'canonical'> {
  readonly parametersSchema: JsonSchema;
}

/** Renames the references of code that was learned elsewhere to the names that they have here. */
export function adapt(
  source: string,
  { renamed, canonical, parametersSchema }: AdaptOptions,
): Pick<LearnedCode, 'code' | 'codeHash' | 'calls' | 'namesCallees'> {
  const original = parse(source);
  const code = rewriteReferences(original, renamed);
  const program = code === source ? original : parse(code);
  return {
    code,
    codeHash: hashOf(program, { nameOf: (name) => canonical.get(name) }),
    calls: callsWithArguments(program, parametersSchema),
    namesCallees: namesAllCallees(program),
  };
}

/** As `rewriteReferences`, from plain data. */
export function rewrite(source: string, renamed: ReadonlyMap<string, string>): string {
  return rewriteReferences(source, renamed);
}
