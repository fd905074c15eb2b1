import { z } from 'zod';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Connection } from './connect.ts';

const RAW = z.unknown();

/** How much a server of the older era is to log. It forgets when it is started again, so it is told again. */
export class LogLevel {
  readonly #log: Log;
  #level: string | undefined;

  constructor(log: Log) {
    this.#log = log;
  }

  async set(level: string, connection: Connection | undefined): Promise<void> {
    this.#level = level;
    if (connection) await this.restore(connection);
  }

  async restore({ client, era }: Connection): Promise<void> {
    const level = this.#level;
    if (level === undefined || era !== 'legacy' || !client.getServerCapabilities()?.logging) return;
    await client.request({ method: 'logging/setLevel', params: { level } }, RAW).catch((error) => {
      this.#log.debug(`does not take the log level ${level}: ${messageOf(error)}`);
    });
  }
}
