import { foldToolName } from '../access/index.ts';
import { PmlError } from '../errors.ts';
import { type Upstream, unavailableError } from '../upstream/index.ts';
import { isListed } from './server-summary.ts';

/** Longer names are cut, because the time to compare grows with the square of the length. */
const MAX_NAME = 200;

export interface KnownServers {
  readonly upstreams: readonly Pick<Upstream, 'name' | 'server' | 'state' | 'problem' | 'catalog'>[];
  /** The names of the servers that the config disables. */
  readonly disabled: readonly string[];
}

/**
 * Returns the error for a tool that cannot be found because its server is disabled, down or still starting; undefined if
 * the name is of no such server. A server that was listed before has its tools, whatever its state.
 */
export function missingServerError(
  name: string,
  { upstreams, disabled }: KnownServers,
): PmlError | undefined {
  const unlisted = upstreams.filter((upstream) => !isListed(upstream));
  if (unlisted.length === 0 && disabled.length === 0) return undefined;
  const spellings = namespacesOf(name);
  const isMeant = (server: string) => spellings.has(foldToolName(server));
  const upstream = unlisted.find((one) => isMeant(one.name));
  if (upstream?.state === 'starting' && upstream.problem === undefined) {
    return new PmlError('upstream_unreachable', `Server "${upstream.name}" is still starting.`, {
      hint: 'Try again in a few seconds.',
    });
  }
  if (upstream) return unavailableError(upstream.server, upstream.problem);
  const off = disabled.find(isMeant);
  if (off === undefined) return undefined;
  return new PmlError('upstream_unreachable', `Server "${off}" is disabled in the config.`, {
    hint: `To use it, a person removes "disabled" from mcpServers.${off} and reconnects.`,
  });
}

/** Returns every prefix that may be the server of a name, folded: `fs` of `fs:read`, `mcp__fs__read`, `mcp.fs.read`. */
function namespacesOf(name: string): Set<string> {
  const spelt = name.slice(0, MAX_NAME).replace(/^(mcp__|mcp:|mcp\.|cap:)/i, '');
  const ends = [...spelt.matchAll(/[^A-Za-z0-9]+/g)].map(({ index }) => index);
  return new Set(ends.map((end) => foldToolName(spelt.slice(0, end))).filter((one) => one !== ''));
}
