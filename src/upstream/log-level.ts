import { z } from 'zod';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { ConnectedClient } from './connect.ts';

const ANY_RESULT = z.unknown();

/** The log level of a server of the older era. A restarted server has forgotten it, so `restore` sets it again. */
export class LogLevel {
  readonly #log: Log;
  #level: string | undefined;

  constructor(log: Log) {
    this.#log = log;
  }

  async set(level: string, connected: ConnectedClient | undefined): Promise<void> {
    this.#level = level;
    if (connected) await this.restore(connected);
  }

  async restore({ client, era }: ConnectedClient): Promise<void> {
    const level = this.#level;
    if (level === undefined || era !== 'legacy' || !client.getServerCapabilities()?.logging) return;
    await client.request({ method: 'logging/setLevel', params: { level } }, ANY_RESULT).catch((error) => {
      this.#log.debug(`does not take the log level ${level}: ${messageOf(error)}`);
    });
  }
}
