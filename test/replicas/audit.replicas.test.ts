import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AuditEventList } from '../../src/api/audit/audit-event.ts';
import { noEtcd } from '../../src/store/etcd/etcd.fixture.ts';
import { eventually } from '../bad-days/eventually.ts';
import { describeIfAvailable } from '../harness/suite.ts';
import { askReplica, createAt } from './replica-api.ts';
import { ReplicaSet } from './replica-set.ts';
import { noTestNetwork } from './test-network.ts';

const users = Array.from({ length: 12 }, (_, index) => `user-${index}`);

describeIfAvailable(noEtcd ?? noTestNetwork, 'the audit logs of three replicas', () => {
  let set: ReplicaSet;

  beforeAll(async () => {
    set = await ReplicaSet.start({ network: 8, members: 1 });
    for (const [index, name] of users.entries()) {
      await createAt(set, index % 3, 'users', { metadata: { name }, spec: {} });
    }
    await eventually(
      10,
      () => search(0),
      ({ metadata }) => metadata.incomplete === undefined,
    );
  });
  afterAll(() => set?.stop());

  async function search(replica: number, more = ''): Promise<AuditEventList> {
    const path = `/audit?resource=users&verb=create&stage=ResponseComplete${more}`;
    const response = await askReplica(set.replica(replica), set.adminKey, path, { longest: 20_000 });
    expect(response.code).toBe(200);
    return response.body as AuditEventList;
  }

  const namesIn = ({ items }: AuditEventList) => items.map(({ objectRef }) => objectRef?.name);

  it('are searched together at every replica', async () => {
    for (const replica of [0, 1, 2]) {
      const list = await search(replica);
      expect(namesIn(list).sort()).toEqual([...users].sort());
      expect(list.metadata.incomplete).toBeUndefined();
      const times = list.items.map(({ stageTimestamp }) => stageTimestamp);
      expect(times).toEqual([...times].sort().reverse());
    }
  });

  it('are searched page by page, each page at another replica', async () => {
    const found: (string | undefined)[] = [];
    let next = '';
    for (let page = 0; page === 0 || next !== ''; page++) {
      const list = await search(page % 3, `&limit=5${next}`);
      found.push(...namesIn(list));
      next = list.metadata.continue === undefined ? '' : `&continue=${list.metadata.continue}`;
      expect(page).toBeLessThan(12);
    }
    expect(found.sort()).toEqual([...users].sort());
  });

  it('are reported as incomplete while a replica cannot be reached', async () => {
    set.network.cut('r0', ['r1']);
    try {
      const startedAt = performance.now();
      const list = await search(0);
      console.log(`a search without one of three replicas takes ${Math.round(performance.now() - startedAt)} ms`);
      expect(list.metadata.incomplete).toMatchObject([{ reason: expect.stringMatching(/did not respond|be reached/) }]);
      expect(namesIn(list).sort()).toEqual(users.filter((_, index) => index % 3 !== 1).sort());
    } finally {
      set.network.restore('r0', ['r1']);
    }
    expect((await search(0)).metadata.incomplete).toBeUndefined();
  });

  it('are reported as incomplete after a replica was killed, until it is started again', async () => {
    await set.replica(2).kill();
    const { metadata } = await search(0);
    expect(metadata.incomplete).toHaveLength(1);
    const [missing] = metadata.incomplete ?? [];
    await eventually(
      10,
      () => search(1),
      (list) => /^it has not responded since/.test(list.metadata.incomplete?.[0]?.reason ?? ''),
    );
    expect((await search(1)).metadata.incomplete?.[0]?.replica).toBe(missing?.replica);
    await set.replica(2).start();
    await eventually(
      10,
      () => search(1),
      (list) => list.metadata.incomplete === undefined,
    );
    expect(namesIn(await search(1)).sort()).toEqual([...users].sort());
  });
});
