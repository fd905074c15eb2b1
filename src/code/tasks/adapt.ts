import type { JsonSchema } from '../../json.ts';
import { hashOf } from '../identity/normal-form.ts';
import { rewriteReferences } from '../references/rewrite-references.ts';
import { callsWithArguments } from '../schema/argument-schemas.ts';
import { parse } from '../syntax/parse.ts';
import type { KnownReferences, LearnedCode } from './learn.ts';

export interface AdaptOptions extends Pick<KnownReferences, 'renamed' | 'canonical'> {
  readonly parametersSchema: JsonSchema;
}

/** Code that was learned elsewhere, with the names that its references have here. */
export function adapt(
  source: string,
  { renamed, canonical, parametersSchema }: AdaptOptions,
): Pick<LearnedCode, 'code' | 'codeHash' | 'calls'> {
  const original = parse(source);
  const code = rewriteReferences(original, renamed);
  const program = code === source ? original : parse(code);
  return {
    code,
    codeHash: hashOf(program, { nameOf: (name) => canonical.get(name) }),
    calls: callsWithArguments(program, parametersSchema),
  };
}

/** The text alone. */
export function rewrite(source: string, renamed: ReadonlyMap<string, string>): string {
  return rewriteReferences(source, renamed);
}
