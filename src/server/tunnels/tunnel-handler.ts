import { badRequest } from '../../api/status.ts';
import type { Exchange } from '../../http/exchange.ts';
import type { Reply } from '../../http/reply.ts';
import type { Clock } from '../../lib/clock.ts';
import { openTunnel } from '../../tunnel/open-tunnel.ts';
import { tunnelProtocol, tunnelSubprotocol } from '../../tunnel/tunnel-protocol.ts';
import type { Tunnels } from './tunnels.ts';

/** The maximum number of tunnels per cluster. An agent opens two, and a cluster may have several agents. */
const maxTunnels = 32;

export interface AcceptTunnelOptions {
  readonly cluster: string;
  readonly tunnels: Tunnels;
  /** Called after each measurement of the round trip time and the throughput of the tunnel. */
  onMeasured(): void;
  readonly clock: Clock;
}

/** Accepts a tunnel of the agent of a cluster. */
export function acceptTunnel(
  { request, identity, end }: Exchange,
  { cluster, tunnels, onMeasured, clock }: AcceptTunnelOptions,
): Reply {
  const { upgrade, webSocket } = request;
  if (!webSocket && upgrade?.toLowerCase() !== tunnelProtocol) {
    throw badRequest(`a tunnel needs the header "Upgrade: ${tunnelProtocol}" or a WebSocket`);
  }
  if (tunnels.count(cluster) >= maxTunnels) {
    throw badRequest(`the cluster already has ${maxTunnels} tunnels; are more agents running than intended?`);
  }
  return {
    status: 101,
    headers: {},
    body: {
      protocol: webSocket ? tunnelSubprotocol : tunnelProtocol,
      async takeOver(connection) {
        const tunnel = openTunnel(connection, clock, onMeasured);
        tunnels.add(cluster, tunnel, identity?.accessKey);
        // If the request itself has ended, the server is shutting down. Otherwise, the agent's credential is no longer
        // valid.
        end.onEnd(() => (request.end?.hasEnded === true ? tunnel.close() : tunnel.destroy()));
        await tunnel.closed;
      },
    },
  };
}
