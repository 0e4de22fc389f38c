import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeIfAvailable } from '../../test/harness/suite.ts';
import { maxOwnerReferencesInEtcd } from '../api/validation/owner-references.ts';
import { EtcdCluster, noEtcd } from '../store/etcd/etcd.fixture.ts';
import { openEtcdStore } from '../store/etcd/etcd-store.ts';
import {
  callerContext,
  newWidget,
  openWidgets,
  rejectionStatus,
  testDeleteOptions,
  testWriteOptions,
} from './widgets.fixture.ts';

let cluster: EtcdCluster;

beforeAll(async () => {
  if (noEtcd === undefined) cluster = await EtcdCluster.start();
});

afterAll(async () => {
  if (noEtcd === undefined) await cluster.stop();
});

const ownedBy = (count: number) => ({
  ownerReferences: Array.from({ length: count }, (_, index) => ({
    apiVersion: 'test.example/v1',
    kind: 'Widget',
    name: `owner-${index}`,
    uid: `uid-${index}`,
    blockOwnerDeletion: true,
  })),
});

describeIfAvailable(noEtcd, 'an object in etcd', () => {
  it('with the maximum number of owners can be created, changed and deleted', async () => {
    const store = await openEtcdStore({ endpoints: cluster.endpoints, prefix: 'owners' });
    const { kind } = await openWidgets({}, { store });
    const most = maxOwnerReferencesInEtcd;
    const create = (name: string, count: number) =>
      kind.verbs.create(callerContext(), newWidget(name, { metadata: ownedBy(count) }), testWriteOptions);
    expect(await rejectionStatus(create('w', most + 1))).toMatchObject({
      code: 422,
      message: expect.stringContaining(`Too many: ${most + 1}: must have at most ${most} items`),
    });
    await create('w', most);
    await kind.verbs.delete(callerContext(), 'w', testDeleteOptions());
    expect(kind.peek('a', 'w')).toBeUndefined();
    await create('w', most);
    const renamed = ownedBy(most).ownerReferences.map((reference) => ({ ...reference, uid: `other-${reference.uid}` }));
    const document = { metadata: { ownerReferences: renamed } };
    const options = { ...testWriteOptions, force: false };
    await kind.verbs.patch(callerContext(), 'w', { type: 'merge', document, findings: [] }, options);
    await kind.verbs.delete(callerContext(), 'w', testDeleteOptions());
    expect(kind.peek('a', 'w')).toBeUndefined();
    await store.close();
  });
});
