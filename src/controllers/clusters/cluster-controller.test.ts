import { flagAt, listAt, textAt } from '@flotilla/json';
import { afterEach, describe, expect, it } from 'vitest';
import { clusterKind } from '../../api/management/v1/cluster.ts';
import { inProcessClient } from '../../builtin/in-process-client.ts';
import { FakeCluster } from '../../hosts/kubernetes/reach/fake-cluster.fixture.ts';
import type { HostConnection } from '../../hosts/kubernetes/reach/host-connection.ts';
import { silentLog } from '../../lib/log.ts';
import { deleteOptions, openManagementTestEnv, patchOptions } from '../../management/management.fixture.ts';
import { resourceKey } from '../../registry/rows/rows.ts';
import type { RunningController } from '../runtime/controller.ts';
import { startClusterController } from './cluster-controller.ts';

const running: RunningController[] = [];
afterEach(async () => {
  for (const controller of running.splice(0)) await controller.stop();
});

const kubeconfig = `
current-context: c
contexts: [{name: c, context: {cluster: k, user: u}}]
clusters: [{name: k, cluster: {server: "https://10.0.0.1:6443"}}]
users: [{name: u, user: {token: x}}]
`;

async function setUp() {
  const management = await openManagementTestEnv();
  const { plane, clock, state } = management;
  const connections = new Map<string, HostConnection>();
  const listeners = new Set<(cluster: string) => void>();
  const client = inProcessClient(plane.kinds, 'test');
  const controller = startClusterController({
    clusters: client.resource(clusterKind),
    connectionOf: (cluster) => connections.get(cluster),
    onReplaced(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    instancesOn: async (cluster) => state.instancesOn(cluster),
    clock,
    log: silentLog,
  });
  running.push(controller);
  await controller.synced;

  const connect = (name: string, cluster: FakeCluster, token = 'x') => {
    connections.set(name, cluster.connect({ server: 'https://a', token }));
    for (const listener of listeners) listener(name);
  };
  const made = async (name: string, cluster: FakeCluster) => {
    connect(name, cluster);
    await management.create('clusters', name, { kubeconfig });
  };
  const statusOf = (name: string) => state.cluster(name)?.status;
  const condition = (name: string, type: string) => {
    const found = listAt(statusOf(name), 'conditions').find((each) => textAt(each, 'type') === type);
    return [textAt(found, 'status'), textAt(found, 'reason')].join(' ');
  };
  const messageOf = (name: string, type: string) =>
    textAt(
      listAt(statusOf(name), 'conditions').find((each) => textAt(each, 'type') === type),
      'message',
    );
  const store = plane.kinds.get(resourceKey(clusterKind));
  const until = (holds: () => boolean) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (!holds()) return;
        stop?.();
        resolve();
      };
      const stop = store?.listen(look);
      look();
    });
  /** Lets due work run: a response of the fixture takes a few ticks of the event loop. */
  const settle = async () => {
    for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
  };
  return { ...management, connect, made, statusOf, condition, messageOf, until, settle };
}

describe('the cluster controller (completions §7)', () => {
  it('reports that a cluster is online and ready, and its version', async () => {
    const { made, statusOf, until, condition } = await setUp();
    await made('c', new FakeCluster('u-1'));
    await until(() => flagAt(statusOf('c'), 'online'));
    expect(statusOf('c')).toMatchObject({
      phase: 'Initialized',
      reason: 'Online',
      online: true,
      kubernetesVersion: 'v1.36.3',
      clusterUID: 'u-1',
    });
    expect(
      ['Reachable', 'CredentialsValid', 'Unique', 'RightsSufficient', 'Ready'].map((type) => condition('c', type)),
    ).toEqual(['True Answers', 'True Accepted', 'True Unique', 'True Sufficient', 'True Online']);
  });

  it('probes every 30 seconds, writes only changes, and notices a recovery within a second', async () => {
    const { made, statusOf, until, condition, clock, settle, state, messageOf } = await setUp();
    const cluster = new FakeCluster('u-1');
    await made('c', cluster);
    await until(() => flagAt(statusOf('c'), 'online'));
    await settle();
    const asked = cluster.requestedPaths.length;
    const version = state.cluster('c')?.metadata.resourceVersion;
    clock.advance(29_000);
    await settle();
    expect(cluster.requestedPaths.length).toBe(asked);
    clock.advance(1_000);
    await settle();
    expect(cluster.requestedPaths.length).toBe(asked + 3);
    expect(state.cluster('c')?.metadata.resourceVersion).toBe(version);

    cluster.statusOverride = 0;
    clock.advance(30_000);
    await until(() => !flagAt(statusOf('c'), 'online'));
    expect(statusOf('c')).toMatchObject({ phase: 'Failed', reason: 'Unreachable', kubernetesVersion: 'v1.36.3' });
    expect(messageOf('c', 'Reachable')).toBe(
      'Cannot reach the cluster: the connection was refused. Retrying automatically.',
    );
    expect([condition('c', 'CredentialsValid'), condition('c', 'Ready')]).toEqual([
      'True Accepted',
      'False Unreachable',
    ]);
    cluster.statusOverride = 200;
    clock.advance(1_000);
    await until(() => flagAt(statusOf('c'), 'online'));
    expect(condition('c', 'Ready')).toBe('True Online');
  });

  it('backs off for an unreachable cluster, up to a minute', async () => {
    const { made, statusOf, until, clock, settle } = await setUp();
    const cluster = new FakeCluster('u-1');
    cluster.statusOverride = 0;
    await made('c', cluster);
    await until(() => textAt(statusOf('c'), 'phase') === 'Failed');
    for (let second = 0; second < 120; second++) {
      clock.advance(1_000);
      await settle();
    }
    const asked = cluster.requestedPaths.length;
    expect(asked).toBeLessThan(12);
    clock.advance(60_000);
    await settle();
    expect(cluster.requestedPaths.length).toBe(asked + 1);
  });

  it('times out a probe that hangs without delaying other clusters', async () => {
    const { made, statusOf, until, clock } = await setUp();
    const hanging = new FakeCluster('u-1');
    hanging.statusOverride = -1;
    await made('hanging', hanging);
    await made('well', new FakeCluster('u-2'));
    await until(() => flagAt(statusOf('well'), 'online'));
    expect(statusOf('hanging')).toMatchObject({ phase: 'Pending', observedGeneration: 0 });
    clock.advance(10_000);
    await until(() => textAt(statusOf('hanging'), 'phase') === 'Failed');
    expect(textAt(statusOf('hanging'), 'message')).toContain('no response within 10 seconds');
  });

  it('reports rejected credentials, and uses new ones at once', async () => {
    const { made, connect, statusOf, until, condition } = await setUp();
    const cluster = new FakeCluster('u-1');
    cluster.statusOverride = 401;
    await made('c', cluster);
    await until(() => textAt(statusOf('c'), 'phase') === 'Failed');
    expect([condition('c', 'Reachable'), condition('c', 'CredentialsValid')]).toEqual([
      'True Answers',
      'False CredentialsRefused',
    ]);
    expect(textAt(statusOf('c'), 'message')).toContain('new spec.kubeconfig');
    cluster.statusOverride = 200;
    connect('c', cluster, 'another');
    await until(() => flagAt(statusOf('c'), 'online'));
    expect(condition('c', 'CredentialsValid')).toBe('True Accepted');
  });

  it('warns a week before credentials expire, and reports when they expire', async () => {
    const { connect, create, statusOf, until, condition, clock } = await setUp();
    const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const exp = Math.floor(clock.now() / 1000) + 8 * 24 * 3600;
    const cluster = new FakeCluster('u-1');
    connect('c', cluster, `${encoded({})}.${encoded({ exp })}.c2ln`);
    await create('clusters', 'c', { kubeconfig });
    await until(() => flagAt(statusOf('c'), 'online'));
    expect(condition('c', 'CredentialsValid')).toBe('True Accepted');
    clock.advance(24 * 3600 * 1000 + 60_000);
    await until(() => condition('c', 'CredentialsValid') === 'True ExpiringSoon');
    expect(statusOf('c')).toMatchObject({ reason: 'ExpiringSoon', online: true, phase: 'Initialized' });
    expect(textAt(statusOf('c'), 'message')).toBe(
      'The token expires at 2026-01-09T00:00:00Z. Set a new spec.kubeconfig before then.',
    );
    expect(condition('c', 'Ready')).toBe('True ExpiringSoon');
    cluster.statusOverride = 401;
    clock.advance(7 * 24 * 3600 * 1000);
    await until(() => condition('c', 'CredentialsValid') === 'False CredentialsExpired');
    expect(textAt(statusOf('c'), 'message')).toContain('The token expired at 2026-01-09T00:00:00Z.');
  });

  it('reports missing permissions until they are granted', async () => {
    const { made, statusOf, until, condition, clock, messageOf } = await setUp();
    const cluster = new FakeCluster('u-1');
    cluster.allowed = ({ verb }) => verb !== '*' && verb !== 'impersonate';
    await made('c', cluster);
    await until(() => flagAt(statusOf('c'), 'online'));
    expect(condition('c', 'Ready')).toBe('False MissingRights');
    expect(messageOf('c', 'RightsSufficient')).toContain(
      'lack permissions: impersonate users, impersonate groups. Bind',
    );
    expect(statusOf('c')).toMatchObject({ phase: 'Initialized', online: true });
    cluster.allowed = () => true;
    clock.advance(10 * 60_000);
    await until(() => condition('c', 'Ready') === 'True Online');
  });

  it('reports the second object for one cluster as a duplicate until the first is deleted', async () => {
    const { made, statusOf, until, condition, clock, messageOf, remove, settle, state } = await setUp();
    const cluster = new FakeCluster('u-1');
    await made('first', cluster);
    await until(() => flagAt(statusOf('first'), 'online'));
    await made('second', cluster);
    await until(() => textAt(statusOf('second'), 'phase') === 'Failed');
    expect(condition('second', 'Unique')).toBe('False AlreadyConnected');
    expect(messageOf('second', 'Unique')).toContain('the same cluster as "first"');
    expect(textAt(statusOf('second'), 'clusterUID')).toBe('');
    expect(condition('first', 'Unique')).toBe('True Unique');
    const version = state.cluster('second')?.metadata.resourceVersion;
    clock.advance(30_000);
    await settle();
    expect(state.cluster('second')?.metadata.resourceVersion).toBe(version);
    await remove('clusters', 'first');
    clock.advance(30_000);
    await until(() => condition('second', 'Ready') === 'True Online');
    expect(textAt(statusOf('second'), 'clusterUID')).toBe('u-1');
  });

  it('reports a different cluster than the one that instances run on, until the original is back', async () => {
    const { made, create, admin, statusOf, until, condition, clock } = await setUp();
    const cluster = new FakeCluster('u-1');
    await made('c', cluster);
    await until(() => flagAt(statusOf('c'), 'online'));
    cluster.uid = 'u-2';
    clock.advance(30_000);
    await until(() => textAt(statusOf('c'), 'clusterUID') === 'u-2');
    await create('virtualclusterinstances', 'vc', { clusterRef: { cluster: 'c' } }, admin('default'));
    cluster.uid = 'u-3';
    clock.advance(30_000);
    await until(() => condition('c', 'Ready') === 'False AnotherCluster');
    expect(statusOf('c')).toMatchObject({ phase: 'Failed', clusterUID: 'u-2' });
    cluster.uid = 'u-2';
    clock.advance(30_000);
    await until(() => condition('c', 'Ready') === 'True Online');
  });

  it('reports an agent whose built-in cluster is another one than before, and says what to do', async () => {
    const { connect, create, admin, verbs, statusOf, until, condition, clock, messageOf } = await setUp();
    const cluster = new FakeCluster('u-1');
    connect('edge', cluster);
    await create('clusters', 'edge', { networkPeer: true });
    const document = { metadata: { annotations: { 'platform.sh/agent-host': 'built-in' } } };
    await verbs('clusters').patch(admin(), 'edge', { type: 'merge', document, findings: [] }, patchOptions);
    await until(() => textAt(statusOf('edge'), 'clusterUID') === 'u-1');
    await create('virtualclusterinstances', 'vc', { clusterRef: { cluster: 'edge' } }, admin('default'));
    cluster.uid = 'u-2';
    clock.advance(30_000);
    await until(() => condition('edge', 'Ready') === 'False AgentDataLost');
    expect(messageOf('edge', 'Ready')).toContain('Restore the data directory of the agent from a backup');
  });

  it('reports an unusable kubeconfig', async () => {
    const { create, statusOf, until } = await setUp();
    await create('clusters', 'c', { kubeconfig });
    await until(() => textAt(statusOf('c'), 'reason') === 'KubeconfigUnusable');
    expect(statusOf('c')).toMatchObject({ phase: 'Failed', online: false });
  });

  it('blocks the deletion of a cluster until no instance is left on it', async () => {
    const { create, verbs, admin, state, until, remove, clock, condition } = await setUp();
    await create('virtualclusterinstances', 'vc', {}, admin('default'));
    await verbs('clusters').delete(admin(), 'local', deleteOptions);
    await until(() => condition('local', 'ContentDeleted') === 'False InstancesRemaining');
    await remove('virtualclusterinstances', 'vc', 'default');
    clock.advance(1_000);
    await until(() => state.cluster('local') === undefined);
  });

  it('ignores the built-in cluster, and reports a missing agent', async () => {
    const { create, state, until, statusOf } = await setUp();
    await create('clusters', 'peer', { networkPeer: true });
    await until(() => textAt(statusOf('peer'), 'reason') === 'NoAgent');
    expect(statusOf('peer')).toMatchObject({ phase: 'Failed', online: false });
    expect(textAt(statusOf('peer'), 'message')).toContain('flotilla agent');
    expect(state.cluster('local')?.status).toBeUndefined();
  });
});
