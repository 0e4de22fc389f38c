import { type JsonObject, textAt, valueAt } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import { isEtcdRun } from '../../../test/harness/etcd/worker-etcd.ts';
import { badRequest } from '../../api/status.ts';
import { FakeCluster } from '../../hosts/kubernetes/reach/fake-cluster.fixture.ts';
import type { RequestContext } from '../../registry/context.ts';
import type { ManagementDependencies } from '../dependencies.ts';
import {
  deleteOptions,
  dryRun,
  latestVersion,
  openManagementTestEnv,
  patchOptions,
  rejectionStatus,
  writeOptions,
} from '../management.fixture.ts';
import { hiddenKubeconfig, kubeconfigPurpose } from './cluster-hidden.ts';

const kubeconfig = (token: string) => `
current-context: c
contexts: [{name: c, context: {cluster: k, user: u}}]
clusters: [{name: k, cluster: {server: "https://10.0.0.1:6443"}}]
users: [{name: u, user: {token: ${token}}}]
`;

async function setUp(connect?: ManagementDependencies['connect']) {
  const management = await openManagementTestEnv({}, { connect });
  const { verbs, admin } = management;
  await management.create('users', 'anna', {});
  const merge = (name: string, spec: JsonObject, context: RequestContext = admin()) =>
    verbs('clusters').patch(context, name, { type: 'merge', document: { spec }, findings: [] }, patchOptions);
  const hidden = (name: string) =>
    textAt(management.plane.kinds.get('clusters.management.platform.sh')?.peekHidden('', name), hiddenKubeconfig);
  return { ...management, merge, hidden };
}

describe('connected clusters (completions §7)', () => {
  it('the kubeconfig is sealed and never returned', async () => {
    const { create, verbs, admin, hidden, sealer, merge, store } = await setUp();
    const created = await create('clusters', 'c', { kubeconfig: kubeconfig('secret-one') });
    expect(JSON.stringify(created)).not.toContain('secret');
    expect(valueAt(created, 'spec', 'kubeconfig')).toBeUndefined();
    expect(sealer.open(kubeconfigPurpose, hidden('c'))).toBe(kubeconfig('secret-one'));
    const rows: string[] = [];
    for await (const row of store.dump()) rows.push(JSON.stringify(row));
    expect(rows.join()).not.toContain('secret-one');

    const read = await verbs('clusters').get(admin(), 'c', latestVersion);
    expect((await verbs('clusters').update(admin(), 'c', read.object, writeOptions)).object).toEqual(read.object);
    const same = await merge('c', { kubeconfig: kubeconfig('secret-one') });
    expect(same.object.metadata.resourceVersion).toBe(created.metadata.resourceVersion);
    const other = await merge('c', { kubeconfig: kubeconfig('secret-two') });
    expect(other.json()).not.toContain('secret');
    expect(sealer.open(kubeconfigPurpose, hidden('c'))).toBe(kubeconfig('secret-two'));
    await merge('c', { networkPeer: true });
    expect(hidden('c')).toBe('');
  });

  it.each([
    ['api', { networkPeer: true }, 'metadata.name'],
    ['apis', { networkPeer: true }, 'metadata.name'],
    ['c', {}, 'spec.kubeconfig'],
    ['c', { kubeconfig: 'secret-text' }, 'spec.kubeconfig'],
    ['c', { local: true }, 'spec.local'],
    ['c', { networkPeer: true, kubeconfig: kubeconfig('x') }, 'spec'],
  ])('the cluster %s with %j is rejected at %s', async (name, spec, field) => {
    const { create } = await setUp();
    const status = await rejectionStatus(create('clusters', name, spec));
    expect(status).toMatchObject({ code: 422, details: { causes: [{ field }] } });
    expect(status.message).not.toContain('secret');
  });

  it('the owner may change display fields, and those named in access the rest', async () => {
    const { create, merge, as } = await setUp();
    await create('clusters', 'c', { networkPeer: true, owner: { user: 'anna' } });
    expect((await merge('c', { displayName: 'C' }, as('anna'))).object).toMatchObject({ spec: { displayName: 'C' } });
    expect((await rejectionStatus(merge('c', { unusable: true }, as('anna')))).code).toBe(403);
    await merge('c', { access: [{ verbs: ['update'], users: ['anna'] }] });
    await merge('c', { unusable: true }, as('anna'));
  });
});

/** Fake clusters by the address in the kubeconfig. */
function world(clusters: Record<string, FakeCluster>): ManagementDependencies['connect'] {
  return (given) => {
    const found = clusters[new URL(given.server).hostname];
    if (found === undefined) throw badRequest('there is no such cluster in this world');
    return found.connect(given);
  };
}

const at = (host: string, token = 'x') => ({ kubeconfig: kubeconfig(token).replace('10.0.0.1', host) });

describe('connecting a cluster (completions §7)', () => {
  it('a cluster that is already connected under another name and address is rejected', async () => {
    const [one, two] = [new FakeCluster('u-1'), new FakeCluster('u-2')];
    const { create, merge, remove } = await setUp(world({ one, alias: one, two }));
    await create('clusters', 'a', at('one'));
    const status = await rejectionStatus(create('clusters', 'b', at('alias')));
    expect(status).toMatchObject({ code: 409, reason: 'Conflict' });
    expect(status.message).toContain('it is the same cluster as "a", which is already connected');
    await create('clusters', 'b', at('two'));
    expect((await rejectionStatus(merge('b', at('one', 'z9')))).code).toBe(409);
    await remove('clusters', 'a');
    await merge('b', at('one', 'z9'));
    expect([one.open, two.open]).toEqual([0, 0]);
  });

  it('a cluster is connected once, even with concurrent requests', async () => {
    const one = new FakeCluster('u-1');
    const { create } = await setUp(world({ one, alias: one }));
    const tries = ['a', 'b', 'c', 'd'].map((name, index) => create('clusters', name, at(index % 2 ? 'one' : 'alias')));
    const outcomes = await Promise.allSettled(tries);
    const lost = outcomes.filter(({ status }) => status === 'rejected');
    expect(lost.length).toBe(3);
    for (const each of lost) expect((each as PromiseRejectedResult).reason).toMatchObject({ code: 409 });
  });

  it('an unchanged kubeconfig is not checked again, and a dry run checks it', async () => {
    const one = new FakeCluster('u-1');
    const { create, merge, verbs, admin, sent } = await setUp(world({ one, alias: one }));
    await create('clusters', 'a', at('one'));
    await merge('a', { ...at('one'), displayName: 'A' });
    expect(one.requestedPaths.length).toBe(1);
    const again = verbs('clusters').create(admin(), sent('clusters', 'b', { spec: at('alias') }), dryRun);
    expect((await rejectionStatus(again)).code).toBe(409);
  });

  it('an unreachable cluster is accepted with a warning', async () => {
    const one = new FakeCluster('u-1');
    const { verbs, admin, sent } = await setUp(world({ one }));
    for (const [trouble, words] of [
      [0, 'the connection was refused'],
      [401, 'the cluster rejected the credentials'],
    ] as const) {
      one.statusOverride = trouble;
      const context = admin();
      await verbs('clusters').create(context, sent('clusters', `c${trouble}`, { spec: at('one') }), writeOptions);
      expect(context.warnings).toEqual([`the cluster cannot be reached now: ${words}`]);
    }
  });

  it('the check of a cluster times out after a few seconds', async () => {
    const one = new FakeCluster('u-1');
    one.statusOverride = -1;
    const { verbs, admin, sent, clock } = await setUp(world({ one }));
    const context = admin();
    const created = verbs('clusters').create(context, sent('clusters', 'c', { spec: at('one') }), writeOptions);
    while (one.requestedPaths.length === 0) await new Promise(setImmediate);
    clock.advance(3_000);
    await created;
    expect(context.warnings.join()).toContain('no response within 3 seconds');
  });

  it('a cluster with instances cannot be replaced by another or an unreachable one', async () => {
    const [one, two] = [new FakeCluster('u-1'), new FakeCluster('u-2')];
    const { create, merge, remove, admin } = await setUp(world({ one, two }));
    await create('clusters', 'a', at('one'));
    await create('virtualclusterinstances', 'vc', { clusterRef: { cluster: 'a' } }, admin('default'));
    const refused = await rejectionStatus(merge('a', at('two')));
    expect(refused).toMatchObject({ code: 422, details: { causes: [{ field: 'spec.kubeconfig' }] } });
    expect(refused.message).toContain('refers to another cluster');
    one.statusOverride = 0;
    expect((await rejectionStatus(merge('a', at('one', 'next')))).message).toContain(
      'cannot be verified now: the connection was refused',
    );
    one.statusOverride = 200;
    await merge('a', at('one', 'next'));
    await remove('virtualclusterinstances', 'vc', 'default');
    await merge('a', at('two'));
  });

  it('unusable credentials are rejected', async () => {
    const { create } = await setUp(world({}));
    const status = await rejectionStatus(create('clusters', 'c', at('nowhere')));
    expect(status).toMatchObject({ code: 422, details: { causes: [{ field: 'spec.kubeconfig' }] } });
  });

  it('a connection without server verification causes a warning', async () => {
    const { verbs, admin, sent } = await setUp();
    const context = admin();
    const spec = { kubeconfig: kubeconfig('x').replace('https:', 'http:') };
    await verbs('clusters').create(context, sent('clusters', 'c', { spec }), writeOptions);
    expect(context.warnings.join()).toContain('the server is not verified');
  });

  it('a cluster with instances is kept whatever a client writes, and one without is deleted at once', async () => {
    const { create, verbs, admin, state, system } = await setUp();
    await create('clusters', 'free', { networkPeer: true });
    // If other processes write to the store, the controller counts the instances before it completes the deletion.
    const outcome = isEtcdRun ? 'pending' : 'gone';
    expect(await verbs('clusters').delete(admin(), 'free', deleteOptions)).toHaveProperty(outcome);
    await create('virtualclusterinstances', 'vc', {}, admin('default'));
    expect(await verbs('clusters').delete(admin(), 'local', deleteOptions)).toHaveProperty('pending');
    const release = (context: RequestContext) =>
      verbs('clusters').patch(
        context,
        'local',
        { type: 'merge', document: { metadata: { finalizers: null } }, findings: [] },
        patchOptions,
      );
    await release(admin());
    expect(state.cluster('local')?.metadata).toMatchObject({ finalizers: ['platform.sh/cleanup'] });
    const late = await rejectionStatus(
      create('virtualclusterinstances', 'late', { clusterRef: { cluster: 'local' } }, admin('default')),
    );
    expect(late.code).toBe(422);
    await release(system());
    expect(state.cluster('local')).toBeUndefined();
  });
});
