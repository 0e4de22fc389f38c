import { createServer } from 'node:http';
import { type JsonObject, listAt, textAt } from '@flotilla/json';
import { afterEach, describe, expect, it } from 'vitest';
import { ManualClock, systemClock } from '../../lib/clock.ts';
import { programVersion } from '../../lib/program-version.ts';
import { ReplicasTestEnv, type ServerReplica } from '../../server/replicas.fixture.ts';
import { groupPath, ServerTestEnv } from '../../server/server.fixture.ts';
import { type ServedTunnel, serveTunnel } from '../../tunnel/serve-tunnel.ts';
import { agentCluster } from '../agent.fixture.ts';
import { accessKeyCredential } from '../agent-credential.ts';
import { openControlServer, type TunnelCarrier } from '../control-server.ts';

type Server = Pick<ServerReplica, 'bench' | 'server'>;

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

const clusterPath = `${groupPath}/clusters/${agentCluster}`;
const agentPath = (name: string) => `/kubernetes/agent/${agentCluster}/${name}`;

async function createCluster({ bench, server }: Server): Promise<string> {
  await bench.createObject(server, 'clusters', agentCluster, { networkPeer: true });
  const made = await bench.send(server, `${clusterPath}/accesskey`, { method: 'POST', body: {} });
  return textAt(made.json, 'accessKey');
}

/** Opens the policy feed. Returns a function that closes it. */
async function openFeed({ bench, server }: Server, key: string): Promise<() => void> {
  const { body, statusCode } = await bench.request(server, agentPath('policy'), { token: key });
  expect(statusCode).toBe(200);
  body.on('error', () => {});
  body.resume();
  return () => void body.destroy();
}

/** Opens a tunnel, and answers each request in it. */
async function openTunnel(
  { bench, server }: Server,
  key: string,
  carrier: TunnelCarrier = 'upgrade',
): Promise<ServedTunnel> {
  const responder = createServer(async (request, response) => {
    for await (const _ of request);
    response.end(JSON.stringify({ gitVersion: 'v1' }));
  });
  const control = openControlServer({
    url: server.url,
    authority: await bench.read('ca.crt'),
    apiPrefix: 'kubernetes',
    cluster: agentCluster,
    credential: async () => accessKeyCredential(key),
    clock: systemClock,
  });
  undo.push(() => control.close());
  const connection = await control.openTunnel(carrier, new AbortController().signal);
  const accept = () => (socket: object) => void responder.emit('connection', socket);
  const tunnel = serveTunnel(connection, { accept, clock: systemClock });
  undo.push(() => tunnel.destroy());
  return tunnel;
}

/** Advances the clock of the servers until the agent's status matches `shown`. Returns the status. */
async function waitFor(
  { bench, server }: Server,
  clock: ManualClock,
  shown: JsonObject,
  step = 500,
): Promise<JsonObject> {
  let found: JsonObject = {};
  const agent = async () => {
    // Pings are sent every ten seconds, and each ping must be answered before the next step.
    clock.advance(step);
    const { json } = await bench.send(server, clusterPath);
    found = (listAt(json, 'status', 'agents')[0] ?? {}) as JsonObject;
    return found;
  };
  await expect.poll(agent, { timeout: 20_000 }).toMatchObject(shown);
  return found;
}

describe('the status of an agent with a tunnel', () => {
  const carriers: TunnelCarrier[] = ['upgrade', 'web-socket'];

  it.each(carriers)('shows the round trip time soon, and the throughput after a transfer (%s)', async (carrier) => {
    const clock = new ManualClock();
    const bench = await ServerTestEnv.open();
    undo.push(() => bench.close());
    const at = { bench, server: await bench.start({}, clock) };
    const key = await createCluster(at);
    const announcement = { url: '', authority: '', credential: 'c', isTunneled: true, host: 'kubernetes' };
    await bench.send(at.server, agentPath('announcement'), {
      method: 'PUT',
      token: key,
      body: { ...announcement, version: programVersion },
    });
    undo.push(await openFeed(at, key));
    await openTunnel(at, key, carrier);
    const startedAt = clock.now();
    await waitFor(at, clock, { connected: true, roundTripMilliseconds: expect.any(Number) });
    expect(clock.now() - startedAt).toBeLessThan(60_000);
    const path = `/kubernetes/cluster/${agentCluster}/version`;
    const sent = await bench.send(at.server, path, { method: 'POST', body: { text: 'x'.repeat(2_000_000) } });
    expect(sent.code, sent.text).toBe(200);
    const { kilobytesPerSecond } = await waitFor(at, clock, { kilobytesPerSecond: expect.any(Number) });
    expect(kilobytesPerSecond).toBeGreaterThan(100);
    expect(clock.now() - startedAt).toBeLessThan(2 * 60_000);
  });

  it('keeps what the replica with the tunnel measures if another replica serves the policy feed', async () => {
    const clock = new ManualClock();
    const replicas = await ReplicasTestEnv.open(clock);
    undo.push(() => replicas.close());
    const { first, second } = replicas;
    const key = await createCluster(first);
    const closeFeed = await openFeed(first, key);
    const { lastSeen = '' } = await waitFor(first, clock, { connected: true });
    // Advance the clock, so that the replicas do not write at the same time.
    clock.advance(60_000);
    const tunnel = await openTunnel(second, key);
    await waitFor(first, clock, { connected: true, roundTripMilliseconds: expect.any(Number) });
    // The replica with the policy feed writes again. The other replica does not notice the write, so it cannot repair
    // the status.
    second.gate.hold();
    const later = await waitFor(first, clock, { lastSeen: expect.not.stringContaining(`${lastSeen}`) }, 5_000);
    expect(later).toMatchObject({ connected: true, roundTripMilliseconds: expect.any(Number) });
    second.gate.open();
    tunnel.destroy();
    closeFeed();
    const ended = await waitFor(first, clock, { connected: false });
    expect(ended).not.toHaveProperty('roundTripMilliseconds');
  });

  it('stays connected if the agent has a feed of another replica before its old one ends', async () => {
    const clock = new ManualClock();
    const replicas = await ReplicasTestEnv.open(clock);
    undo.push(() => replicas.close());
    const { first, second } = replicas;
    const key = await createCluster(first);
    const closeFeed = await openFeed(first, key);
    const { lastSeen = '' } = await waitFor(first, clock, { connected: true });
    clock.advance(20_000);
    undo.push(await openFeed(second, key));
    const other = { lastSeen: expect.not.stringContaining(`${lastSeen}`) };
    await waitFor(first, clock, { connected: true, ...other });
    closeFeed();
    // If the replicas did not distinguish the two feeds, the first replica would now write that the agent is not
    // connected.
    for (let written = 0; written < 60; written++) await waitFor(first, clock, { connected: true });
  });
});
