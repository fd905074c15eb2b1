import { jsonFits } from '../json-size.ts';
import { estimateTokens } from '../token-estimate.ts';
import type { Upstream } from '../upstream/index.ts';
import { allowedTools } from './directory.ts';

/** PML's own tools take at most this many tokens; a test enforces it. */
export const OWN_TOOLS_TOKENS = 1300;

/** A tool that is larger is shortened before it is listed. */
const MAX_TOOL_BYTES = 32 * 1024;

/**
 * Estimates how many tokens the tools of a server take in a list. Stops above `most`: a server that exceeds the budget
 * by itself is left out anyway.
 */
export function toolTokens(upstream: Pick<Upstream, 'name' | 'server' | 'catalog'>, most: number): number {
  let tokens = 0;
  for (const { name, description, inputSchema } of allowedTools(upstream)) {
    if (tokens > most) break;
    const shown = { name: `mcp__${upstream.name}__${name}`, description, inputSchema };
    tokens += estimateTokens(jsonFits(shown, MAX_TOOL_BYTES) ? JSON.stringify(shown) : shown.name);
  }
  return tokens;
}

/**
 * Chooses the servers whose tools are not listed, so that the rest fits the budget: the largest first, equal ones by
 * name. The choice depends on the sizes alone, so that every session gets the same list.
 */
export function chooseUnlisted(sizes: ReadonlyMap<string, number>, budget: number): ReadonlySet<string> {
  const largestFirst = [...sizes].sort(([a, left], [b, right]) => right - left || (a < b ? -1 : 1));
  let total = OWN_TOOLS_TOKENS + largestFirst.reduce((sum, [, tokens]) => sum + tokens, 0);
  const unlisted = new Set<string>();
  for (const [name, tokens] of largestFirst) {
    if (total <= budget || tokens === 0) break;
    unlisted.add(name);
    total -= tokens;
  }
  return unlisted;
}
