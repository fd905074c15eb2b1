import type { Config } from '../../config/index.ts';
import { connectDaemon } from '../../daemon/connect-daemon.js';
import type { DaemonStatus } from '../../daemon/index.ts';
import { PmlError } from '../../errors.ts';
import { lockHome, openDb } from '../../store/index.ts';
import { VERSION } from '../../version.ts';

/** Asks the running daemon about its database; if none runs, opens the database for a moment. */
export async function checkDatabase(config: Config, onProgress: (text: string) => void) {
  const handshake = { version: VERSION, kind: 'status' };
  const connection = await connectDaemon({ env: process.env, handshake, start: false });
  if (connection) {
    connection.socket.destroy();
    const { engine, pid } = connection.reply.status as DaemonStatus;
    return { value: true, detail: `${engine}, in use by the background process ${pid}` };
  }
  const lock = lockHome(config.home);
  if (!lock)
    throw new PmlError('daemon_unreachable', `${config.home} is locked by a PML that does not answer.`);
  try {
    const { home, databaseUrl } = config;
    const db = await openDb({ home, ...(databaseUrl && { databaseUrl }), onProgress });
    await db.close();
    return { value: true, detail: `${db.engine}, ${home}` };
  } finally {
    lock.release();
  }
}
