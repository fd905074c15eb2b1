import { isDeepStrictEqual } from 'node:util';
import type { Json, JsonSchema } from '../../src/json.ts';
import { type MemoryProcedure, type ValuePair, valuePairs } from './procedures.ts';

/** A parameter's description begins with the argument that it was: `folder of files:cd: The folder …`. */
const ORIGIN = /^(\S+) of (\S+:\S+):/;

/** Fills the parameters of a capability of the first use with the data of the repeat, as a model does that reads both. */
export function rememberedArguments(schema: JsonSchema, procedure: MemoryProcedure): Record<string, Json> {
  const left = [...valuePairs(procedure), ...(procedure.otherValues ?? [])];
  const filled: Record<string, Json> = {};
  for (const [name, property] of Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>)) {
    const at = bestPair(name, property, left);
    if (at < 0) continue;
    const { repeat } = left[at] as ValuePair;
    left.splice(at, 1);
    if (!isDeepStrictEqual(repeat, property.default)) filled[name] = repeat;
  }
  return filled;
}

function bestPair(name: string, property: JsonSchema, pairs: readonly ValuePair[]): number {
  const { examples, default: preset, description } = property as Record<string, Json>;
  const known = Array.isArray(examples) ? examples[0] : preset;
  const [, key = name, tool = ''] = ORIGIN.exec(typeof description === 'string' ? description : '') ?? [];
  const marks = pairs.map((pair) => {
    const isValue = known !== undefined && isDeepStrictEqual(pair.first, known);
    if (known !== undefined && !isValue) return 0;
    return (isValue ? 4 : 0) + (pair.key === key ? 2 : 0) + (pair.tool === tool ? 1 : 0);
  });
  const best = Math.max(0, ...marks);
  return best < 3 ? -1 : marks.indexOf(best);
}
