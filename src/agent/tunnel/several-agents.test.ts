import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type JsonObject, listAt, textAt } from '@flotilla/json';
import { Agent, request } from 'undici';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type JoinToken, readJoinToken, writeJoinToken } from '../../api/agent/join-token.ts';
import { writeKubeconfig } from '../../api/kubeconfig.ts';
import { generateAgentKeyPair } from '../../auth/agent/agent-key.ts';
import { joinTokenDigest, signAgentProof } from '../../auth/agent/agent-proof.ts';
import { systemClock } from '../../lib/clock.ts';
import { silentLog } from '../../lib/log.ts';
import { groupPath, ServerTestEnv } from '../../server/server.fixture.ts';
import type { RunningServer } from '../../server/start-server.ts';
import { agentCluster, agentOptions } from '../agent.fixture.ts';
import type { AgentOptions } from '../options.ts';
import { type RunningAgent, startAgent } from '../start-agent.ts';

const clusterPath = `${groupPath}/clusters/${agentCluster}`;
const namespacesPath = `/kubernetes/cluster/${agentCluster}/api/v1/namespaces`;
const patient = { timeout: 30_000, interval: 50 };

let bench: ServerTestEnv;
let server: RunningServer;
/**
 * A second server. Its built-in cluster takes the place of a real Kubernetes cluster, to which the agents connect with
 * a kubeconfig.
 */
let kubernetes: ServerTestEnv;
let kubeconfigFile: string;
let agents: RunningAgent[];
beforeEach(async () => {
  [bench, kubernetes] = await Promise.all([ServerTestEnv.open(), ServerTestEnv.open()]);
  server = await bench.start();
  await bench.createObject(server, 'clusters', agentCluster, { networkPeer: true });
  kubeconfigFile = await kubeconfigOf(kubernetes);
  agents = [];
});
afterEach(async () => {
  await Promise.all(agents.map((agent) => agent.close()));
  await Promise.all([bench.close(), kubernetes.close()]);
});

async function kubeconfigOf(cluster: ServerTestEnv): Promise<string> {
  const running = await cluster.start();
  const file = join(cluster.root, 'cluster.kubeconfig');
  const token = await cluster.adminKey();
  const kubeconfig = { server: `${running.url}/kubernetes/cluster/local`, insecureSkipTlsVerify: true, token };
  await writeFile(file, writeKubeconfig(kubeconfig), { mode: 0o600 });
  return file;
}

const send = (path: string, call: Parameters<typeof bench.send>[2] = {}) => bench.send(server, path, call);

async function joinToken(spec: JsonObject): Promise<JoinToken> {
  const response = await send(`${clusterPath}/jointoken`, { method: 'POST', body: { spec } });
  expect(response.code, response.text).toBe(201);
  const token = readJoinToken(textAt(response.json, 'status', 'token'));
  if (token === undefined) throw new Error('the server returned no join token');
  return token;
}

async function start(token: JoinToken, name: string, settings: Partial<AgentOptions> = {}): Promise<RunningAgent> {
  const agent = await startAgent(
    {
      ...agentOptions(bench, server),
      management: undefined,
      caFile: undefined,
      cluster: undefined,
      accessKeyFile: undefined,
      joinToken: writeJoinToken(token),
      dataDir: join(bench.root, name),
      usesTunnel: true,
      host: { kind: 'kubernetes', kubeconfigFile },
      ...settings,
    },
    { clock: systemClock, log: silentLog },
  );
  agents.push(agent);
  return agent;
}

async function stop(agent: RunningAgent): Promise<void> {
  agents.splice(agents.indexOf(agent), 1);
  await agent.close();
}

const shownAgents = async () => listAt((await send(clusterPath)).json, 'status', 'agents') as JsonObject[];
const waitForAgents = (count: number) =>
  expect
    .poll(async () => (await shownAgents()).filter(({ connected }) => connected === true).length, patient)
    .toBe(count);
const waitUntilReachable = () => expect.poll(async () => (await send(namespacesPath)).code, patient).toBe(200);

/** Opens watches on the cluster. Each connection is opened in the tunnel with the fewest connections. */
async function openWatches(count: number) {
  return await Promise.all(
    Array.from({ length: count }, async () => {
      const { body, statusCode } = await bench.request(server, `${namespacesPath}?watch=true`);
      expect(statusCode).toBe(200);
      const ended = once(body, 'end').then(() => true);
      body.resume();
      return { body, ended };
    }),
  );
}

async function joinWithoutAgent(
  token: JoinToken,
  host: 'built-in' | 'kubernetes' = 'kubernetes',
  pair = generateAgentKeyPair(),
) {
  const { installation, cluster, secret } = token;
  const proof = signAgentProof(pair, { installation, cluster, joinToken: joinTokenDigest(secret) }, Date.now());
  const body = { publicKey: pair.publicKey.pem, proof, host };
  return await send(`/kubernetes/agent/${cluster}/join`, { method: 'POST', token: secret, body });
}

describe('two agents of one cluster', () => {
  it('join with one token, have a key each and share the requests, and one continues without the other', async () => {
    const token = await joinToken({ agents: 2 });
    const first = await start(token, 'a');
    await waitUntilReachable();
    await start(token, 'b');
    await waitForAgents(2);
    const shown = await shownAgents();
    expect(new Set(shown.map((agent) => textAt(agent, 'keyFingerprint'))).size).toBe(2);
    expect(shown.every((agent) => textAt(agent, 'version') !== '' && textAt(agent, 'hostname') !== '')).toBe(true);
    // Each agent accepts the server's requests, because the announcement of one agent does not end requests to the
    // other agent.
    const watches = await openWatches(12);
    const codes = await Promise.all(Array.from({ length: 20 }, async () => (await send(namespacesPath)).code));
    expect(new Set(codes)).toEqual(new Set([200]));

    await stop(first);
    const ended = await Promise.all(
      watches.map(async ({ ended }) => await Promise.race([ended, falseAfter(async () => await waitForAgents(1))])),
    );
    const endedCount = ended.filter(Boolean).length;
    expect(endedCount).toBeGreaterThan(0);
    expect(endedCount).toBeLessThan(watches.length);
    expect((await send(namespacesPath)).code).toBe(200);
    for (const { body } of watches) body.destroy();
  });

  it('keep the connections of the server when an agent starts again', async () => {
    const token = await joinToken({ agents: 2 });
    const first = await start(token, 'a');
    await waitUntilReachable();
    await start(token, 'b');
    await waitForAgents(2);
    await stop(first);
    const generation = async () => (await send(clusterPath)).json.metadata;
    const before = textAt((await generation()) as JsonObject, 'generation');
    await start(token, 'a');
    await waitForAgents(2);
    expect(textAt((await generation()) as JsonObject, 'generation')).toBe(before);
    const codes = await Promise.all(Array.from({ length: 20 }, async () => (await send(namespacesPath)).code));
    expect(new Set(codes)).toEqual(new Set([200]));
  });

  it('are refused if they run in different clusters', async () => {
    const token = await joinToken({ agents: 2 });
    await start(token, 'a');
    await waitUntilReachable();
    await expect.poll(async () => textAt((await shownAgents())[0] ?? {}, 'clusterUID'), patient).not.toBe('');
    const elsewhere = await ServerTestEnv.open();
    try {
      await start(token, 'b', { host: { kind: 'kubernetes', kubeconfigFile: await kubeconfigOf(elsewhere) } });
      await expect.poll(async () => textAt((await shownAgents())[1] ?? {}, 'clusterUID'), patient).not.toBe('');
      const identities = await Promise.all(
        Array.from({ length: 20 }, async () =>
          textAt((await send(`${namespacesPath}/kube-system`)).json, 'metadata', 'uid'),
        ),
      );
      const [one, other] = await shownAgents();
      expect(new Set(identities)).toEqual(new Set([textAt(one ?? {}, 'clusterUID')]));
      expect(other).not.toHaveProperty('roundTripMilliseconds');
    } finally {
      await Promise.all(agents.splice(1).map((agent) => agent.close()));
      await elsewhere.close();
    }
  });
});

/** Calls `wait`, and then resolves with false. */
async function falseAfter(wait: () => Promise<unknown>): Promise<false> {
  await wait();
  return false;
}

describe('a join token for several agents', () => {
  it('limits the number of agents, even if they join at the same time, and lets an agent repeat its request', async () => {
    const token = await joinToken({ agents: 3 });
    const pair = generateAgentKeyPair();
    expect((await joinWithoutAgent(token, 'kubernetes', pair)).code).toBe(200);
    const responses = await Promise.all(Array.from({ length: 6 }, () => joinWithoutAgent(token)));
    expect(responses.filter(({ code }) => code === 200)).toHaveLength(2);
    expect(responses.find(({ code }) => code !== 200)?.text).toContain('3 agents have joined');
    expect((await joinWithoutAgent(token, 'kubernetes', pair)).code).toBe(200);
    const keys = listAt((await send(`${groupPath}/accesskeys`)).json, 'items') as JsonObject[];
    const agentKeys = keys.filter((key) => textAt(key, 'spec', 'type') === 'Agent');
    expect(agentKeys).toHaveLength(3);
    // Joining again with the token does not recreate a deleted access key.
    const own = agentKeys.find((key) => textAt(key, 'spec', 'agentKey', 'fingerprint') === pair.publicKey.fingerprint);
    const name = textAt(own ?? {}, 'metadata', 'name');
    expect((await send(`${groupPath}/accesskeys/${name}`, { method: 'DELETE' })).code).toBe(200);
    const again = await joinWithoutAgent(token, 'kubernetes', pair);
    expect([again.code, again.text]).toEqual([409, expect.stringContaining('was deleted')]);
  });

  it('lets no second agent join if one of them runs the cluster itself', async () => {
    const token = await joinToken({ agents: 2 });
    expect((await joinWithoutAgent(token, 'kubernetes')).code).toBe(200);
    const second = await joinWithoutAgent(token, 'built-in');
    expect([second.code, second.text]).toEqual([409, expect.stringContaining('must be the only agent')]);
    const alone = await joinToken({ replace: true, agents: 2 });
    expect((await joinWithoutAgent(alone, 'built-in')).code).toBe(200);
    const other = await joinWithoutAgent(alone, 'kubernetes');
    expect([other.code, other.text]).toEqual([409, expect.stringContaining('no other agent can serve it')]);
    const further = await send(`${clusterPath}/jointoken`, { method: 'POST', body: { spec: { add: true } } });
    expect([further.code, further.text]).toEqual([409, expect.stringContaining('--built-in')]);
  });

  it('adds an agent to those that have joined, which keep their keys', async () => {
    const first = await joinToken({});
    expect((await joinWithoutAgent(first)).code).toBe(200);
    const refused = await send(`${clusterPath}/jointoken`, { method: 'POST', body: {} });
    expect([refused.code, refused.text]).toEqual([409, expect.stringContaining('flotilla cluster add-agent edge')]);
    expect((await joinWithoutAgent(await joinToken({ add: true }))).code).toBe(200);
    const keys = listAt((await send(`${groupPath}/accesskeys`)).json, 'items') as JsonObject[];
    expect(keys.filter((key) => textAt(key, 'spec', 'type') === 'Agent')).toHaveLength(2);
    for (const spec of [{ agents: 0 }, { agents: 9 }, { add: true, replace: true }]) {
      const wrong = await send(`${clusterPath}/jointoken`, { method: 'POST', body: { spec } });
      expect([400, 422], wrong.text).toContain(wrong.code);
    }
  });
});

describe('the credential of the server at the agents of a cluster', () => {
  it('is accepted only in their tunnels, because all agents of the cluster know it', async () => {
    const token = await joinToken({ agents: 2 });
    const agent = await start(token, 'a');
    await waitUntilReachable();
    const pair = generateAgentKeyPair();
    expect((await joinWithoutAgent(token, 'kubernetes', pair)).code).toBe(200);
    const { installation, cluster } = token;
    const body = { url: '', authority: '', credential: 'c'.repeat(40), isTunneled: true, sharesCredential: true };
    const announced = await send(`/kubernetes/agent/${cluster}/announcement`, {
      method: 'PUT',
      token: signAgentProof(pair, { installation, cluster }, Date.now()),
      body: { ...body, host: 'kubernetes', version: '0.1.0' },
    });
    const credential = textAt(announced.json, 'credential');
    expect(credential).not.toBe('');
    const dispatcher = new Agent({ connect: { rejectUnauthorized: false } });
    const direct = await request(`${agent.url}/kubernetes/cluster/edge/api/v1/namespaces`, {
      dispatcher,
      headers: { authorization: `Bearer ${credential}` },
    });
    expect(direct.statusCode).toBe(401);
    await direct.body.dump();
    await dispatcher.close();
  });
});
