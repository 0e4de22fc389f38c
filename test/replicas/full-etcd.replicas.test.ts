import { afterAll, beforeAll, expect, it } from 'vitest';
import { noEtcd } from '../../src/store/etcd/etcd.fixture.ts';
import { describeIfAvailable } from '../harness/suite.ts';
import { askReplica, createReadyInstance, registersOf } from './replica-api.ts';
import { ReplicaSet } from './replica-set.ts';
import { noTestNetwork } from './test-network.ts';

const quotaBytes = 24 * 1024 * 1024;

describeIfAvailable(noEtcd ?? noTestNetwork, 'replicas whose etcd is full', () => {
  let set: ReplicaSet;

  beforeAll(async () => {
    const etcdFlags = [`--quota-backend-bytes=${quotaBytes}`];
    set = await ReplicaSet.start({ network: 4, replicas: 2, members: 1, etcdFlags });
    await createReadyInstance(set, 0, 'large');
  });
  afterAll(() => set?.stop());

  it('refuse writes with 507 and the reason, serve reads, and stay ready', async () => {
    const [endpoint] = registersOf(set, 'large');
    const path = new URL(endpoint?.url ?? '').pathname;
    const create = (n: number) =>
      askReplica(set.replica(n % 2), set.adminKey, path, {
        method: 'POST',
        body: { metadata: { name: `large-${n}` }, data: { value: 'x'.repeat(500_000) } },
      });
    let created = 0;
    let refusal = await create(0);
    for (; refusal.code === 201 && created < 100; created++) refusal = await create(created + 1);
    expect(created).toBeGreaterThan(5);
    expect(refusal).toMatchObject({ code: 507, body: { reason: 'InsufficientStorage' } });
    expect(JSON.stringify(refusal.body)).toMatch(/quota-backend-bytes|defrag|alarm/);
    for (const replica of set.replicas) {
      expect((await askReplica(replica, set.adminKey, `${path}/large-0`)).code).toBe(200);
      expect((await askReplica(replica, set.adminKey, '/readyz?verbose')).code).toBe(200);
    }
  });
});
