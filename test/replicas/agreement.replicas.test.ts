import { Agent, request } from 'undici';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { noEtcd } from '../../src/store/etcd/etcd.fixture.ts';
import { eventually } from '../bad-days/eventually.ts';
import { describeIfAvailable } from '../harness/suite.ts';
import { LoadBalancer } from './load-balancer.ts';
import { RegisterWorkload } from './register-workload.ts';
import { askReplica, createAt, createReadyInstance, isReady, manage, registersOf } from './replica-api.ts';
import { ReplicaSet } from './replica-set.ts';
import { noTestNetwork } from './test-network.ts';

const management = '/kubernetes/management/apis/management.platform.sh/v1';
const instances = 'namespaces/platform-p-default/virtualclusterinstances';
const dispatcher = new Agent({ connect: { rejectUnauthorized: false } });

describeIfAvailable(noEtcd ?? noTestNetwork, 'three equal replicas', () => {
  let set: ReplicaSet;

  beforeAll(async () => {
    set = await ReplicaSet.start({ network: 2 });
    await createReadyInstance(set, 0, 'shared');
  });
  afterAll(() => set?.stop());

  async function createKey(replica: number, user: string): Promise<string> {
    await createAt(set, replica, 'users', { metadata: { name: user }, spec: {} });
    const body = { metadata: { name: `${user}s` }, spec: { user } };
    const key = (await createAt(set, replica, 'ownedaccesskeys', body)) as { readonly spec: { readonly key: string } };
    return key.spec.key;
  }

  it('accept a new key at every replica at once', async () => {
    for (let n = 0; n < 30; n++) {
      const key = await createKey(n % 3, `user-${n}`);
      const self = await askReplica(set.replica((n + 1) % 3), key, `${management}/selves`, {
        method: 'POST',
        body: { spec: {} },
      });
      expect([n, self.code]).toEqual([n, 201]);
    }
  });

  it('read back at one replica what was written at another', async () => {
    const [path] = registersOf(set, 'shared').map(({ url }) => new URL(url).pathname);
    for (let n = 0; n < 100; n++) {
      const body = { metadata: { name: `object-${n}` } };
      const created = await askReplica(set.replica(n % 3), set.adminKey, `${path}`, { method: 'POST', body });
      expect(created.code).toBe(201);
      const found = await askReplica(set.replica((n + 1) % 3), set.adminKey, `${path}/object-${n}`);
      expect([n, found.code, found.body]).toEqual([n, 200, created.body]);
    }
  });

  it('reject a revoked key at every replica within a second, and end its streams within five', async () => {
    const key = await createKey(0, 'leaver');
    const watches = await Promise.all(
      set.replicas.map(({ url }) =>
        request(`${url}${management}/virtualclusterinstances?watch=1`, {
          dispatcher,
          headers: { authorization: `Bearer ${key}` },
        }),
      ),
    );
    const ended = watches.map(({ body }) => body.dump({ limit: Number.POSITIVE_INFINITY }).catch(() => undefined));
    expect((await manage(set, 0, 'accesskeys/leavers', { method: 'DELETE' })).code).toBe(200);
    const revokedAt = performance.now();
    for (const replica of set.replicas) {
      await eventually(
        1,
        () => askReplica(replica, key, `${management}/virtualclusterinstances`),
        ({ code }) => code === 401,
      );
    }
    await Promise.all(ended);
    expect(performance.now() - revokedAt).toBeLessThan(5_000);
  });

  it('never exceed the quota of a project', async () => {
    await createAt(set, 0, 'projects', {
      metadata: { name: 'small' },
      spec: {
        quotas: { project: { virtualclusterinstances: 5 } },
        allowedClusters: [{ name: '*' }],
        allowedTemplates: [{ name: '*' }],
      },
    });
    const path = 'namespaces/platform-p-small/virtualclusterinstances';
    await eventually(
      10,
      () => manage(set, 1, path),
      ({ code }) => code === 200,
    );
    const responses = await Promise.all(
      Array.from({ length: 45 }, (_, n) =>
        manage(set, n % 3, path, { method: 'POST', body: { metadata: { name: `i${n}` }, spec: {} } }),
      ),
    );
    expect(responses.filter(({ code }) => code === 201).length).toBe(5);
    expect(new Set(responses.map(({ code }) => code))).toEqual(new Set([201, 403]));
  });

  it('continue the work of a replica that was killed', async () => {
    for (const index of [0, 1, 2]) {
      await set.replica(index).kill();
      const at = (index + 1) % 3;
      const startedAt = performance.now();
      // Creates twelve instances, because their names hash to different shards of the background work. Some of these
      // shards belonged to the killed replica.
      const names = Array.from({ length: 12 }, (_, n) => `after-${index}-${n}`);
      await Promise.all(names.map((name) => createAt(set, at, instances, { metadata: { name }, spec: {} })));
      for (const name of names) {
        await eventually(
          15,
          () => manage(set, at, `${instances}/${name}`),
          ({ body }) => isReady(body),
        );
      }
      console.log(`12 instances are ready ${Math.round(performance.now() - startedAt)} ms after a replica was killed`);
      await set.replica(index).start();
    }
  });

  it('serve 50 clients behind a load balancer without errors when a replica is killed', async () => {
    const balancer = await LoadBalancer.start(
      set.replicas.map(({ url }) => url),
      set.network.testAddress,
      8443,
    );
    const { pathname } = new URL(registersOf(set, 'shared')[0]?.url ?? '');
    const url = `https://${set.network.testAddress}:8443${pathname}`;
    let isStopped = false;
    const codes = new Map<number, number>();
    const written: number[][] = [];
    const clients = Array.from({ length: 50 }, async (_, client) => {
      const times: number[] = [];
      written.push(times);
      const own = new Agent({ connect: { rejectUnauthorized: false, timeout: 1_000 }, connections: 1 });
      for (let n = 0; !isStopped; n++) {
        try {
          const response = await request(url, {
            dispatcher: own,
            method: 'POST',
            headers: { authorization: `Bearer ${set.adminKey}`, 'content-type': 'application/json' },
            body: JSON.stringify({ metadata: { name: `client-${client}-${n}` } }),
            signal: AbortSignal.timeout(5_000),
          });
          await response.body.dump();
          codes.set(response.statusCode, (codes.get(response.statusCode) ?? 0) + 1);
          if (response.statusCode === 201) times.push(performance.now());
        } catch {
          codes.set(0, (codes.get(0) ?? 0) + 1);
        }
      }
      await own.destroy();
    });
    const everyoneWrote = (after: number) => () => written.every((times) => (times.at(-1) ?? 0) > after);
    await eventually(30, everyoneWrote(0), (all) => all);
    await set.replica(1).kill();
    const killedAt = performance.now();
    await eventually(10, everyoneWrote(killedAt), (all) => all);
    const pauses = written.map((times) => (times.find((at) => at > killedAt) ?? Number.POSITIVE_INFINITY) - killedAt);
    const counts = written.map((times) => times.length);
    const wroteMore = () => written.every((times, client) => times.length >= (counts[client] ?? 0) + 10);
    await eventually(30, wroteMore, (all) => all);
    isStopped = true;
    await Promise.all(clients);
    await balancer.stop();
    await set.replica(1).start();
    console.log(`longest pause ${Math.round(Math.max(...pauses))} ms, codes ${JSON.stringify([...codes])}`);
    expect(Math.max(...pauses)).toBeLessThan(2_000);
    expect([...codes.keys()].filter((code) => code !== 201 && code !== 0)).toEqual([]);
    // The kill ends one connection of each client. Before the client stops using the killed replica, at most a few more
    // connections to it fail.
    expect(codes.get(0) ?? 0).toBeLessThanOrEqual(100);
  });
});

describeIfAvailable(noEtcd ?? noTestNetwork, 'replicas with different clocks', () => {
  let set: ReplicaSet;

  beforeAll(async () => {
    const module = new URL('skewed-clock.mjs', import.meta.url).href;
    set = await ReplicaSet.start({
      network: 3,
      members: 1,
      nodeArgs: (replica) => (replica === 2 ? ['--import', module] : []),
      environment: { FLOTILLA_TEST_CLOCK_AHEAD: '20' },
    });
    await createReadyInstance(set, 2, 'skewed');
  });
  afterAll(() => set?.stop());

  it('are linearizable, and accept the credentials of each other', async () => {
    const workload = await RegisterWorkload.start(registersOf(set, 'skewed'), 'skew', 7);
    await workload.progress(300);
    await workload.stopAndCheck();
    for (const at of [0, 1, 2]) {
      const path = `namespaces/platform-p-default/virtualclusterinstances/skewed/kubeconfig`;
      const response = await manage(set, at, path, { method: 'POST', body: { spec: {} } });
      const config = (response.body as { readonly status: { readonly kubeConfig: string } }).status.kubeConfig;
      const token = /token: (\S+)/.exec(config)?.[1] ?? '';
      const [endpoint] = registersOf(set, 'skewed');
      const { pathname } = new URL(endpoint?.url ?? '');
      for (const replica of set.replicas) expect((await askReplica(replica, token, pathname)).code).toBe(200);
    }
  });
});
