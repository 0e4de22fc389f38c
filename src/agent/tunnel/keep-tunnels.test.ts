import { createServer } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../lib/clock.ts';
import { silentLog } from '../../lib/log.ts';
import { AgentTestEnv, agentCluster } from '../agent.fixture.ts';
import { accessKeyCredential } from '../agent-credential.ts';
import { type ControlServer, openControlServer } from '../control-server.ts';
import { ConnectProxy } from './connect-proxy.fixture.ts';
import { keepTunnels } from './keep-tunnels.ts';

const versionPath = `/kubernetes/cluster/${agentCluster}/version`;

let at: AgentTestEnv;
const undo: (() => unknown)[] = [];
beforeEach(async () => {
  at = await AgentTestEnv.open();
  undo.push(() => at.close());
});
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

async function controlServer(proxyUrl?: string): Promise<ControlServer> {
  const key = await at.createAgentKey();
  const server = openControlServer({
    url: at.server.url,
    authority: await at.serverEnv.read('ca.crt'),
    proxyUrl,
    apiPrefix: 'kubernetes',
    cluster: agentCluster,
    credential: async () => accessKeyCredential(key),
    clock: systemClock,
  });
  undo.push(() => server.close());
  return server;
}

/** Keeps tunnels open. Responds to each request in them with the path and length of the request. */
async function keep(server: Pick<ControlServer, 'openTunnel' | 'announce'>): Promise<void> {
  const responder = createServer(async (request, response) => {
    let bytes = 0;
    for await (const chunk of request) bytes += chunk.length;
    response.end(JSON.stringify({ gitVersion: `${request.url} ${bytes}` }));
  });
  const stopping = new AbortController();
  const { signal } = stopping;
  const opened = new Promise<void>((resolve) => {
    const accept = (connection: object) => void responder.emit('connection', connection);
    const isServerReachable = () => true;
    const done = keepTunnels(
      { server, isServerReachable, accept, onOpened: resolve, clock: systemClock, log: silentLog },
      signal,
    );
    undo.push(async () => {
      stopping.abort();
      await done;
    });
  });
  await opened;
  const announcement = { url: '', authority: '', credential: 'c', isTunneled: true, version: '1' } as const;
  await server.announce({ ...announcement, host: 'kubernetes' }, signal);
}

describe('tunnels that an agent keeps open', () => {
  it('are WebSockets if the network lets no other upgrades pass', async () => {
    const real = await controlServer();
    const refused: string[] = [];
    await keep({
      announce: (detail, signal) => real.announce(detail, signal),
      async openTunnel(carrier, signal) {
        if (carrier === 'web-socket') return await real.openTunnel(carrier, signal);
        refused.push(carrier);
        throw new Error('the proxy closed the connection');
      },
    });
    const { code, text } = await at.serverEnv.send(at.server, versionPath);
    expect([code, text]).toEqual([200, expect.stringContaining(`${versionPath} 0`)]);
    const body = { text: 'x'.repeat(3_000_000) };
    const long = await at.serverEnv.send(at.server, versionPath, { method: 'POST', body });
    expect(long.text).toContain(`${versionPath} ${JSON.stringify(body).length}`);
    expect(refused).not.toEqual([]);
  });

  it('pass through an HTTP proxy that needs a password', async () => {
    const proxy = await ConnectProxy.start('127.0.0.1', 'anna:hush');
    undo.push(() => proxy.stop());
    await keep(await controlServer(`http://anna:hush@127.0.0.1:${proxy.port}`));
    expect((await at.serverEnv.send(at.server, versionPath)).code).toBe(200);
    expect(proxy.accepted).toBeGreaterThanOrEqual(2);
  });
});
