import { z } from 'zod';
import { PmlError } from '../errors.ts';
import { VERSION } from '../version.ts';
import { PROTOCOL_VERSION } from './socket-protocol.js';

// Keys and kinds are the wire format, which older clients speak too. So the protocol version stays `dialect` there, and a
// connection for admin requests stays `errands`.
const versions = { dialect: z.number(), version: z.string() };
const place = {
  cwd: z.string(),
  env: z.record(z.string(), z.string()),
  config: z.string().optional(),
};

const Handshake = z.discriminatedUnion('kind', [
  z.object({
    ...versions,
    kind: z.literal('session'),
    ...place,
    agent: z.string().optional(),
    capability: z.string().optional(),
    person: z.boolean().optional(),
  }),
  z.object({ ...versions, kind: z.literal('status') }),
  z.object({ ...versions, kind: z.literal('stop') }),
  z.object({ ...versions, kind: z.literal('errands'), ...place }),
  z.object({
    ...versions,
    kind: z.literal('up'),
    ...place,
    host: z.string().optional(),
    port: z.number().optional(),
  }),
]);

/** The first line on the socket: who connects, and what for. */
export type Handshake = z.infer<typeof Handshake>;

export function parseHandshake(line: string): Handshake {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new PmlError('bad_request', 'The first line on this socket must be a handshake.');
  }
  const { dialect } = (value ?? {}) as { dialect?: unknown };
  if (dialect !== PROTOCOL_VERSION) {
    throw new PmlError('bad_request', `This PML's background process is of another version (${VERSION}).`, {
      hint: 'Stop it with `pml down` of the same version, and try again.',
    });
  }
  const handshake = Handshake.safeParse(value);
  if (!handshake.success)
    throw new PmlError('bad_request', 'The handshake on this socket was not understood.');
  return handshake.data;
}

/** Compares two versions by their numbers alone. */
export function isOlder(a: string, b: string): boolean {
  const [left, right] = [a, b].map((version) => version.split(/[.+-]/).slice(0, 3).map(Number));
  for (let i = 0; i < 3; i++) {
    const difference = (left?.[i] || 0) - (right?.[i] || 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}
