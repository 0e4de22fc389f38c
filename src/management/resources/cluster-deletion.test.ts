import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { cleanupFinalizer } from '../../api/naming.ts';
import { ManualClock } from '../../lib/clock.ts';
import { storeWithOverrides } from '../../registry/widgets.fixture.ts';
import { openSealer } from '../../seal/open-sealer.ts';
import { openMemoryStore } from '../../store/memory.ts';
import { twoReplicas } from '../../store/replicas.fixture.ts';
import { deleteOptions, openManagementTestEnv, rejectionStatus } from '../management.fixture.ts';

/** Opens two replicas with a cluster. `beforeWrite` runs before each write of the second replica. */
async function setUp() {
  const steps = { beforeWrite: async () => {} };
  const clock = new ManualClock();
  const sealer = openSealer(randomBytes(32));
  const { current, delayed } = await twoReplicas((store, index) => {
    const slow = storeWithOverrides(store, {
      async transact(transaction) {
        await steps.beforeWrite();
        return store.transact(transaction);
      },
    });
    return openManagementTestEnv({}, { store: index === 0 ? store : slow, clock, sealer });
  }, openMemoryStore({ clock }));
  await current.create('clusters', 'far', { networkPeer: true });
  await current.create('projects', 'p', { allowedClusters: [{ name: '*' }], allowedTemplates: [{ name: '*' }] });
  const place = (name: string) =>
    delayed.create('virtualclusterinstances', name, { clusterRef: { cluster: 'far' } }, delayed.admin('p'));
  const remove = async () => {
    await current.verbs('clusters').delete(current.admin(), 'far', deleteOptions);
  };
  return { current, delayed, steps, place, remove };
}

it('an instance is not placed on a cluster whose deletion another replica has started', async () => {
  const { current, steps, place, remove } = await setUp();
  steps.beforeWrite = async () => {
    steps.beforeWrite = async () => {};
    await remove();
  };
  expect(await rejectionStatus(place('late'))).toMatchObject({
    code: 422,
    message: expect.stringContaining('the cluster far does not accept new virtual clusters'),
  });
  await current.state.caughtUp();
  expect(current.state.instancesOn('far')).toBe(0);
});

it('the deletion of a cluster waits for the controller, which counts the instances of all replicas', async () => {
  const { current, place, remove } = await setUp();
  await remove();
  expect(current.state.cluster('far')?.metadata.finalizers).toContain(cleanupFinalizer);
  expect((await rejectionStatus(place('late'))).code).toBe(422);
});

it('a cluster that changes while an instance is placed does not prevent the placement', async () => {
  const { current, steps, place } = await setUp();
  steps.beforeWrite = async () => {
    steps.beforeWrite = async () => {};
    const document = { spec: { displayName: 'Far' } };
    const options = { dryRun: false, fieldManager: 'test', fieldValidation: 'Strict', force: false } as const;
    await current.verbs('clusters').patch(current.admin(), 'far', { type: 'merge', document, findings: [] }, options);
  };
  await place('one');
  expect(current.state.instancesOn('far')).toBe(1);
});
