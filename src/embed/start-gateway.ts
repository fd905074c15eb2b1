import { messageOf, PmlError } from '../errors.ts';
import { homeOf } from '../home.js';
import { isSuitableNode } from '../runtime.js';
import { connect } from './connect.ts';
import { Gateway } from './gateway.ts';
import { type GatewayOptions, type Place, placeOf } from './options.ts';

export interface StartOptions extends GatewayOptions {
  /** Serves MCP over HTTP on this port as well; 0 takes a free one. */
  port?: number;
}

/** Starts a gateway in this process, which owns the home until the gateway is closed. */
export async function startGateway({ port, ...options }: StartOptions = {}): Promise<Gateway> {
  const place = placeOf(options);
  const daemon = await startDaemon(place);
  try {
    const http = port === undefined ? undefined : await daemon.openHttp({ ...place, port });
    return await Gateway.open({
      connect: (session) => connect(place, session, false),
      url: http?.url ?? null,
      close: () => daemon.stop('the program closed its gateway'),
    });
  } catch (error) {
    await daemon.stop(messageOf(error));
    throw error;
  }
}

async function startDaemon({ env, cwd }: Place) {
  if (!isSuitableNode()) {
    throw new PmlError(
      'daemon_unreachable',
      `A gateway cannot run in a process of Node ${process.versions.node}.`,
      {
        hint: 'Use Node 24 or 26, or joinGateway(), which runs it in a process of its own.',
      },
    );
  }
  // Loaded on demand: a program that joins a gateway needs neither.
  const [{ Daemon }, { lockHome }] = await Promise.all([
    import('../daemon/index.ts'),
    import('../store/index.ts'),
  ]);
  const home = homeOf(env, cwd);
  const lock = lockHome(home);
  if (lock) return Daemon.start({ env: { ...env, PML_HOME: home } }, lock);
  throw new PmlError('daemon_running', `Another process serves ${home}.`, {
    hint: 'Use joinGateway(), or another home.',
  });
}
