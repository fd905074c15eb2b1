import type pg from 'pg';
import { messageOf, PmlError } from '../../errors.ts';
import { SqlError, sqlErrorFields } from '../sql-error.ts';

const CONNECT_TIMEOUT_MS = 10_000;

/** The settings of every connection. Values stay text: `value-conversion.ts` converts them. */
export function connectionConfig(url: string): pg.ClientConfig {
  return {
    connectionString: url,
    application_name: 'pml',
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    types: { getTypeParser: () => (text: string) => text },
  };
}

/** The server and database as they may be shown, without user and password. */
export function serverName(url: string): string {
  // The error leaves out the reason, which would repeat the address and perhaps its password.
  if (!URL.canParse(url)) throw badAddress();
  const { protocol, hostname, port, pathname } = new URL(url);
  if (protocol !== 'postgres:' && protocol !== 'postgresql:') throw badAddress();
  return `${hostname || 'localhost'}:${port || '5432'}${pathname}`;
}

function badAddress(): PmlError {
  return new PmlError('database_unreachable', 'PML_DATABASE_URL is not a PostgreSQL address', {
    hint: 'Write it as postgres://user:password@host:5432/database, with special characters percent-encoded.',
  });
}

// Classes of SQLSTATE in which the server refuses or ends the connection rather than the statement:
// connection exception, bad user or password, no such database, too many connections, shutting down.
const CONNECTION_LOST = /^(08|28|3D000|53300|57P0[1-5])/;

/** Turns an error of the driver into the store's own: a SqlError, or an unreachable database. */
export function translateError(error: unknown, server: string): Error {
  const fields = sqlErrorFields(error as Error);
  if (fields.severity && !CONNECTION_LOST.test(fields.code ?? '')) return new SqlError(fields);
  return new PmlError(
    'database_unreachable',
    `PostgreSQL at ${server} cannot be reached: ${reasonOf(error)}`,
    {
      hint: 'Check that the server is running and that PML_DATABASE_URL is correct.',
    },
  );
}

/** For a host with several addresses Node throws an AggregateError without a message of its own. */
function reasonOf(error: unknown): string {
  return error instanceof AggregateError ? error.errors.map(messageOf).join('; ') : messageOf(error);
}
