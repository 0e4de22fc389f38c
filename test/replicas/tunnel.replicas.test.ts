import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type JsonObject, textAt } from '@flotilla/json';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { noEtcd } from '../../src/store/etcd/etcd.fixture.ts';
import { eventually } from '../bad-days/eventually.ts';
import { type ServingProcess, startServing } from '../harness/flotilla-process.ts';
import { describeIfAvailable } from '../harness/suite.ts';
import { LoadBalancer } from './load-balancer.ts';
import { askReplica, createReadyInstance, manage } from './replica-api.ts';
import { ReplicaSet } from './replica-set.ts';
import { noTestNetwork, type TestMachine } from './test-network.ts';

const namespaces = '/kubernetes/cluster/edge/api/v1/namespaces';
const insideInstance = '/kubernetes/project/default/virtualcluster/vc/api/v1/namespaces';
/** Enough time for other replicas to detect a killed replica, even on a busy machine. */
const patient = { timeout: 60_000, interval: 200 };
const watches = new Agent({ connect: { rejectUnauthorized: false }, bodyTimeout: 0 });

describeIfAvailable(noEtcd ?? noTestNetwork, 'an agent behind a firewall, and two replicas', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tunnel-replicas-'));
  let set: ReplicaSet;
  let balancer: LoadBalancer;
  let machine: TestMachine;
  let agent: ServingProcess;
  let joinToken: string;

  beforeAll(async () => {
    set = await ReplicaSet.start({ network: 11, members: 1, replicas: 2 });
    const urls = set.replicas.map(({ url }) => url);
    balancer = await LoadBalancer.start(urls, set.network.testAddress, 8443);
    machine = set.network.addMachine('agent');
    set.network.refuseConnectionsTo('agent');
    await createWhenReady('clusters', { metadata: { name: 'edge' }, spec: { networkPeer: true } });
    joinToken = textAt(await createWhenReady('clusters/edge/jointoken', {}), 'status', 'token');
    await startAgent();
  });
  afterAll(async () => {
    await agent?.stop();
    await balancer?.stop();
    await set?.stop();
    await watches.destroy();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Creates an object, and retries until the replica is ready: right after its start, it may respond with 503. */
  async function createWhenReady(path: string, body: object): Promise<JsonObject> {
    const made = await eventually(
      60,
      () => manage(set, 0, path, { method: 'POST', body }),
      ({ code }) => code === 201,
    );
    return made.body as JsonObject;
  }

  /** Starts an agent on a separate machine. Each tunnel of the agent may end at any replica. */
  async function startAgent(dataDir = 'agent'): Promise<void> {
    const file = join(folder, 'token');
    writeFileSync(file, joinToken, { mode: 0o600 });
    const args = ['agent', '--join-token-file', file, '--data-dir', join(folder, dataDir), '--tunnel', '--built-in'];
    const listen = ['--listen', `${machine.address}:8444`];
    agent = await startServing([...args, ...listen], { commandPrefix: machine.commandPrefix });
  }

  const codeAt = async (replica: number, path = namespaces) =>
    (await askReplica(set.replica(replica), set.adminKey, path)).code;
  const waitUntilServedBy = (replica: number) => expect.poll(() => codeAt(replica), patient).toBe(200);

  /** Watches the namespaces of the cluster at a replica. */
  async function openWatch(replica: number) {
    const { body, statusCode } = await request(`${set.replica(replica).url}${namespaces}?watch=true`, {
      dispatcher: watches,
      headers: { authorization: `Bearer ${set.adminKey}` },
    });
    expect(statusCode).toBe(200);
    const chunks = body[Symbol.asyncIterator]();
    return {
      next: async () => String((await chunks.next()).value),
      /** Reads until the watch ends, with or without an error. The test fails if it never ends. */
      async end() {
        try {
          while ((await chunks.next()).done !== true);
        } catch {
          // A lost connection also ends the watch, so the error is ignored.
        }
      },
      destroy: () => void body.on('error', () => {}).destroy(),
    };
  }

  it('has a virtual cluster that each replica creates, serves and deletes', async () => {
    await Promise.all([waitUntilServedBy(0), waitUntilServedBy(1)]);
    for (const replica of [0, 1]) {
      await createReadyInstance(set, replica, 'vc', { clusterRef: { cluster: 'edge' } });
      const made = { metadata: { name: `by-${replica}` } };
      const created = await askReplica(set.replica(replica), set.adminKey, insideInstance, {
        method: 'POST',
        body: made,
      });
      expect(created.code).toBe(201);
      for (const reader of [0, 1]) {
        const read = await askReplica(set.replica(reader), set.adminKey, `${insideInstance}/by-${replica}`);
        expect(read.code, `replica ${reader}`).toBe(200);
      }
      const path = 'namespaces/platform-p-default/virtualclusterinstances/vc';
      await manage(set, 1 - replica, path, { method: 'DELETE' });
      await expect.poll(async () => (await manage(set, 1 - replica, path)).code, patient).toBe(404);
    }
  });

  it('joined with a token that no replica accepts a second time', async () => {
    await expect(startAgent('thief')).rejects.toThrow(/the server refuses the join token/);
    await Promise.all([waitUntilServedBy(0), waitUntilServedBy(1)]);
  });

  it('is reached by the other replica when one is killed, and by both when it is back', async () => {
    for (const killed of [0, 1]) {
      const other = 1 - killed;
      await set.replica(killed).kill();
      await waitUntilServedBy(other);
      const read = await Promise.all(Array.from({ length: 20 }, () => codeAt(other)));
      expect(new Set(read)).toEqual(new Set([200]));
      await set.replica(killed).start();
      await Promise.all([waitUntilServedBy(killed), waitUntilServedBy(other)]);
    }
  });

  it('ends a watch through a replica that is killed, and serves it again through the other one', async () => {
    await agent.stop();
    balancer.useOnly(0);
    await startAgent();
    // The tunnels end at the first replica. The second replica forwards requests to the first.
    await Promise.all([waitUntilServedBy(0), waitUntilServedBy(1)]);
    const watch = await openWatch(1);
    expect(await watch.next()).toContain('"ADDED"');
    balancer.useOnly(undefined);
    await set.replica(0).kill();
    await watch.end();
    await waitUntilServedBy(1);
    const again = await openWatch(1);
    expect(await again.next()).toContain('"ADDED"');
    again.destroy();
    await set.replica(0).start();
    await Promise.all([waitUntilServedBy(0), waitUntilServedBy(1)]);
  });

  it('is reached by both replicas after it was killed and started again', async () => {
    await agent.stop('SIGKILL');
    await expect.poll(() => codeAt(0), patient).toBe(503);
    await startAgent();
    await Promise.all([waitUntilServedBy(0), waitUntilServedBy(1)]);
  });
});
