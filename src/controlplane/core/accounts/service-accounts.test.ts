import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hostOwnerLabel } from '../../../api/naming.ts';
import { type CoreTestEnv, eventually, openCoreTestEnv } from '../core.fixture.ts';

let plane: CoreTestEnv;
beforeEach(async () => {
  plane = await openCoreTestEnv();
});
afterEach(() => plane.close());

describe('service accounts', () => {
  it('keep only the names of their references', async () => {
    const made = await plane.create('serviceaccounts', {
      metadata: { name: 's' },
      secrets: [{ name: 'x', kind: 'Secret', namespace: 'q' }, { name: 'x' }],
      imagePullSecrets: [{ name: 'y' }, { name: '' }, {}],
      automountServiceAccountToken: false,
    });
    expect(made).toMatchObject({
      secrets: [{ name: 'x' }, { name: 'x' }],
      imagePullSecrets: [{ name: 'y' }, {}, {}],
      automountServiceAccountToken: false,
    });
  });

  it('cause one warning about a deprecated annotation', async () => {
    const annotations = { 'kubernetes.io/enforce-mountable-secrets': 'true' };
    await plane.create('serviceaccounts', { metadata: { name: 's', annotations }, secrets: [] });
    const warning =
      'metadata.annotations[kubernetes.io/enforce-mountable-secrets]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets';
    expect(plane.warnings).toEqual([warning]);
    await plane.update('serviceaccounts', { metadata: { name: 's', annotations, labels: { a: 'b' } } });
    expect(plane.warnings).toEqual([warning]);
  });

  it('include a default account in every namespace from its creation', async () => {
    for (const namespace of ['default', 'kube-system', 'kube-public']) {
      expect(plane.peek('serviceaccounts', 'default', namespace)).toBeDefined();
    }
    await plane.create('namespaces', { metadata: { name: 'fresh' } }, '');
    await eventually(() => plane.peek('serviceaccounts', 'default', 'fresh'));
  });

  it('are not created in the namespace of a virtual cluster, where nothing runs', async () => {
    const labels = { [hostOwnerLabel]: 'somebody' };
    await plane.create('namespaces', { metadata: { name: 'hosted', labels } }, '');
    await plane.create('namespaces', { metadata: { name: 'later' } }, '');
    await eventually(() => plane.peek('serviceaccounts', 'default', 'later'));
    expect(plane.peek('serviceaccounts', 'default', 'hosted')).toBeUndefined();
  });

  it('include a new default account after the old one was deleted', async () => {
    const before = plane.peek('serviceaccounts', 'default')?.metadata.uid;
    await plane.remove('serviceaccounts', 'default');
    const after = await eventually(() => plane.peek('serviceaccounts', 'default'));
    expect(after.metadata.uid).not.toBe(before);
  });

  it('are created on load if the plane was unloaded before it created them', async () => {
    const { store, clock, keys } = plane;
    const accounts = plane.plane.kinds.get('serviceaccounts');
    await plane.create('namespaces', { metadata: { name: 'fresh' } }, '');
    await eventually(() => plane.peek('serviceaccounts', 'default', 'fresh'));
    await plane.close();
    const key = { slice: 'plane', segments: ['objects', 'serviceaccounts', 'fresh', 'default'] };
    await store.transact({ writes: [{ key, value: undefined }] });
    expect(accounts).toBeDefined();
    plane = await openCoreTestEnv({ store, clock, keys });
    if (store.isShared) await plane.runMaintenance();
    expect(plane.peek('serviceaccounts', 'default', 'fresh')).toBeDefined();
  });

  it('are not recreated in a namespace that is being deleted', async () => {
    await plane.create('namespaces', { metadata: { name: 'fresh' } }, '');
    await eventually(() => plane.peek('serviceaccounts', 'default', 'fresh'));
    await plane.create('configmaps', { metadata: { name: 'held', finalizers: ['example.com/hold'] } }, 'fresh');
    await plane.remove('namespaces', 'fresh', '');
    await plane.idle();
    expect(plane.peek('namespaces', 'fresh', '')).toBeDefined();
    expect(plane.peek('serviceaccounts', 'default', 'fresh')).toBeUndefined();
  });
});
