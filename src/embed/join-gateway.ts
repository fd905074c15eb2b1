import { connect } from './connect.ts';
import { Gateway } from './gateway.ts';
import { type GatewayOptions, placeOf } from './options.ts';

/**
 * Joins the gateway of a home as `pml serve` does: its background process is shared with all other sessions, and started
 * if none runs. It ends a while after the last session.
 */
export function joinGateway(options: GatewayOptions = {}): Promise<Gateway> {
  const place = placeOf(options);
  return Gateway.open({
    connect: (session) => connect(place, session, true),
    url: null,
    close: async () => {},
  });
}
