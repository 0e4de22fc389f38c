import { Duplex } from 'node:stream';
import { expect, it } from 'vitest';
import type { Exchange } from '../../http/exchange.ts';
import { RequestEnd } from '../../http/request/request-end.ts';
import { ManualClock } from '../../lib/clock.ts';
import { openTunnel } from '../../tunnel/open-tunnel.ts';
import { tunnelProtocol } from '../../tunnel/tunnel-protocol.ts';
import { acceptTunnel } from './tunnel-handler.ts';
import { Tunnels } from './tunnels.ts';

it('a cluster has a limited number of tunnels, also if the agent lets them wait for their connections', async () => {
  const clock = new ManualClock();
  const tunnels = new Tunnels(clock);
  const request = { upgrade: tunnelProtocol, webSocket: false };
  const options = { cluster: 'edge', tunnels, onMeasured: () => {}, clock };
  const accept = () => acceptTunnel({ request, end: new RequestEnd() } as unknown as Exchange, options).status;
  for (let opened = 0; opened < 32; opened++) {
    expect(accept()).toBe(101);
    const carrier = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() });
    const tunnel = openTunnel(carrier, clock);
    tunnels.add('edge', tunnel);
    tunnel.connect('edge').catch(() => {});
    tunnel.close();
  }
  expect(tunnels.of('edge')).toEqual([]);
  expect(accept).toThrow('already has 32 tunnels');
  tunnels.close();
  await expect.poll(() => tunnels.count('edge')).toBe(0);
  expect(accept()).toBe(101);
});
