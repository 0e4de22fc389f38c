import { type JsonObject, type JsonValue, listAt, numberAt, textAt, valueAt } from '@flotilla/json';
import { afterEach, describe, expect, it } from 'vitest';
import { eventKind } from '../../api/core/event.ts';
import { clusterKind } from '../../api/management/v1/cluster.ts';
import { projectKind } from '../../api/management/v1/project.ts';
import { virtualClusterInstanceKind } from '../../api/management/v1/virtual-cluster-instance.ts';
import { virtualClusterTemplateKind } from '../../api/management/v1/virtual-cluster-template.ts';
import type { KubeObject } from '../../api/meta.ts';
import { projectRoles } from '../../api/naming.ts';
import { inProcessClient } from '../../builtin/in-process-client.ts';
import { openPlanesTestEnv } from '../../builtin/planes-test-env.fixture.ts';
import { DataLossError } from '../../hosts/data-loss-error.ts';
import type { Host, HostedVirtualCluster, HostListener, InstallRequest } from '../../hosts/host.ts';
import { defaultHostTimeouts } from '../../hosts/host-with-timeouts.ts';
import { InstallError } from '../../hosts/install-error.ts';
import { silentLog } from '../../lib/log.ts';
import { deleteOptions, openManagementTestEnv, patchOptions } from '../../management/management.fixture.ts';
import { resourceKey } from '../../registry/rows/rows.ts';
import { startInstanceController } from './instance-controller.ts';

const plural = virtualClusterInstanceKind.plural;
const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/**
 * Returns the controller, the management API, and the built-in cluster as a host. `whims` replaces methods of the host.
 */
async function setUp(whims: (real: Host) => Partial<Host> = () => ({})) {
  const management = await openManagementTestEnv();
  const { plane, clock } = management;
  const planes = await openPlanesTestEnv();
  const hosts = new Map<string, Host>([['local', { ...planes.planes.host, ...whims(planes.planes.host) }]]);
  let replaced: (cluster: string) => void = () => {};
  const client = inProcessClient(plane.kinds, 'test');
  const controller = startInstanceController({
    instances: client.resource(virtualClusterInstanceKind),
    projects: client.resource(projectKind),
    templates: client.resource(virtualClusterTemplateKind),
    clusters: client.resource(clusterKind),
    events: client.resource(eventKind),
    hostOf: (cluster) => hosts.get(cluster),
    onHostReplaced(listener) {
      replaced = listener;
      return () => {};
    },
    chooseCluster: () => 'local',
    activity: { lastActivity: () => undefined, onActivity: () => () => {} },
    clock,
    log: silentLog,
  });
  ends.push(
    () => planes.close(),
    () => controller.stop(),
  );
  await controller.synced;
  const kind = plane.kinds.get(resourceKey(virtualClusterInstanceKind));
  const events = plane.kinds.get(resourceKey(eventKind));
  const peek = (name: string, project = 'default') => kind?.peek(`platform-p-${project}`, name)?.object;
  return {
    ...management,
    planes,
    hosts,
    replace(cluster: string, host: Host | undefined) {
      if (host === undefined) hosts.delete(cluster);
      else hosts.set(cluster, host);
      replaced(cluster);
    },
    make: (name: string, spec: JsonObject = {}) => management.create(plural, name, spec, management.admin('default')),
    change: (name: string, document: JsonObject) =>
      management
        .verbs(plural)
        .patch(management.admin('default'), name, { type: 'merge', document, findings: [] }, patchOptions),
    remove: (name: string) => management.verbs(plural).delete(management.admin('default'), name, deleteOptions),
    peek,
    /**
     * Returns the first version of the instance that matches. Advances the clock repeatedly until there is such a
     * version.
     */
    async until(
      name: string,
      has: (object: KubeObject | undefined) => boolean,
      project = 'default',
    ): Promise<KubeObject | undefined> {
      const end = performance.now() + 20_000;
      for (let turn = 0; performance.now() < end; turn += 1) {
        const object = peek(name, project);
        if (has(object)) return object;
        await new Promise(setImmediate);
        await planes.runMaintenance();
        if (turn % 5 === 4) clock.advance(50);
      }
      throw new Error(`it did not come: ${JSON.stringify(peek(name)?.status)}`);
    },
    events: () => events?.peekAll().map(({ object }) => object as JsonValue) ?? [],
    told: () => events?.peekAll().map(({ object }) => textAt(object as JsonValue, 'reason')) ?? [],
  };
}

const isIn = (phase: string) => (object: KubeObject | undefined) =>
  textAt(object as JsonValue | undefined, 'status', 'phase') === phase;
const hasReason = (reason: string) => (object: KubeObject | undefined) =>
  textAt(object as JsonValue | undefined, 'status', 'reason') === reason;
const isReady = isIn('Ready');
const isGone = (object: KubeObject | undefined) => object === undefined;

function condition(object: KubeObject | undefined, type: string): JsonValue | undefined {
  return listAt(object as JsonValue | undefined, 'status', 'conditions').find((each) => textAt(each, 'type') === type);
}

/** Returns a promise, and the function `open`, which resolves it. */
function door() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

describe('a new instance', () => {
  it('is Ready after one reconcile and one write, without loading its control plane', async () => {
    const world = await setUp();
    await world.make('demo');
    const ready = await world.until('demo', isReady);
    expect(Number(ready?.metadata.resourceVersion)).toBeGreaterThan(0);
    expect(listAt(ready as unknown as JsonValue, 'metadata', 'managedFields')).toHaveLength(2);
    expect(ready?.metadata.generation).toBe(1);
    // Only the built-in cluster itself is loaded.
    expect(world.planes.planes.fleet.loaded.planes).toBe(1);
  });

  it('is reported as Pending while its installation is slow (completions §3)', async () => {
    const { opened, open } = door();
    const world = await setUp((real) => ({
      async install(wanted, call) {
        await opened;
        await real.install(wanted, call);
      },
    }));
    expect((await world.make('demo')).status).toMatchObject({ phase: 'Pending', observedGeneration: 0 });
    const pending = await world.until('demo', hasReason('Installing'));
    expect(condition(pending, 'Ready')).toMatchObject({ status: 'False', reason: 'Installing' });
    expect(pending?.status).toMatchObject({ phase: 'Pending', observedGeneration: 1 });
    open();
    const ready = await world.until('demo', isReady);
    expect(condition(ready, 'VirtualClusterDeployed')).toMatchObject({ status: 'True' });
  });

  it('passes the rendered release to the host, and again when the parameters change', async () => {
    const installs: InstallRequest[] = [];
    const world = await setUp((real) => ({
      async install(wanted, call) {
        installs.push(wanted);
        await real.install(wanted, call);
      },
    }));
    await world.create('virtualclustertemplates', 'sized', {
      parameters: [{ variable: 'size', defaultValue: '1' }],
      template: { helmRelease: { chart: { version: '0.30.0' }, values: 'replicas: {{ .Values.size }}' } },
    });
    await world.make('demo', { templateRef: { name: 'sized' } });
    await world.until('demo', isReady);
    await world.change('demo', { spec: { parameters: 'size: 3' } });
    await world.until('demo', (object) => isReady(object) && installs.length === 2);
    expect(installs.map(({ helm }) => helm)).toEqual(
      [1, 3].map((size) => ({ chart: { version: '0.30.0' }, values: `replicas: ${size}` })),
    );
  });

  it('does not install a rendered template of a project admin that acts on the host', async () => {
    const installs: InstallRequest[] = [];
    const world = await setUp((real) => ({
      async install(wanted, call) {
        installs.push(wanted);
        await real.install(wanted, call);
      },
    }));
    await world.create('users', 'carol', {});
    await world.create('projects', 'p', {
      allowedClusters: [{ name: '*' }],
      members: [{ kind: 'User', name: 'carol', clusterRole: projectRoles.admin }],
    });
    const make = (name: string, values: string) =>
      world.create(plural, name, { template: { helmRelease: { values } } }, world.as('carol', 'p'));
    await make('bad', '{{ printf "%s: {privileged: true}" "security" }}');
    const denied = await world.until(
      'bad',
      (object) => textAt(condition(object, 'TemplateResolved'), 'status') === 'False',
      'p',
    );
    expect(condition(denied, 'TemplateResolved')).toMatchObject({
      reason: 'HostAccessDenied',
      message: expect.stringContaining('helmRelease.values: Forbidden: the chart value security.privileged'),
    });
    await make('good', 'sleepMode: {enabled: {{ eq .Values.platform.name "good" }}}');
    await world.until('good', isReady, 'p');
    expect(installs.map(({ helm }) => helm)).toEqual([{ values: '{"sleepMode":{"enabled":true}}' }]);
  });
});

describe('the watch of a host', () => {
  it('is open only while there is an instance on the cluster', async () => {
    let watches = 0;
    const world = await setUp((real) => ({
      async watch(listener, signal) {
        watches++;
        await real.watch(listener, signal);
        watches--;
      },
    }));
    const host = world.hosts.get('local');
    world.replace('local', host);
    expect(watches).toBe(0);
    await world.make('one');
    await world.make('two');
    await world.until('one', isReady);
    await world.until('two', isReady);
    expect(watches).toBe(1);
    await world.remove('one');
    await world.until('one', isGone);
    expect(watches).toBe(1);
    await world.remove('two');
    await world.until('two', () => watches === 0);
    // A host with new credentials and without instances is not watched either.
    world.replace('local', host && { ...host });
    expect(watches).toBe(0);
    await world.make('three');
    await world.until('three', isReady);
    expect(watches).toBe(1);
  });
});

describe('an instance that would lose its data by sleeping', () => {
  const force = 'sleepmode.platform.sh/force';
  const accept = 'sleepmode.platform.sh/accept-data-loss';
  const annotate = (annotations: JsonObject) => ({ metadata: { annotations } });
  const keepsData = (object: KubeObject | undefined) => textAt(condition(object, 'SleepKeepsData'), 'reason');

  /** A host without persistent volumes. */
  const forgetful = (real: Host): Partial<Host> => {
    let lostAt: string | undefined;
    return {
      async sleep(place, call) {
        if (call?.acceptsDataLoss !== true) throw new DataLossError('the Deployment demo has no volume');
        await real.sleep(place, call);
        lostAt = '2026-01-01T00:00:00Z';
      },
      async observe(place, call) {
        const observed = await real.observe(place, call);
        return observed && { ...observed, ...(lostAt === undefined ? {} : { dataLostAt: lostAt }) };
      },
      sleepDataLoss: async () => 'the Deployment demo has no volume',
    };
  };

  it('stays ready and says why, until the loss is accepted or the sleep is cancelled', async () => {
    const world = await setUp(forgetful);
    await world.make('demo');
    await world.until('demo', isReady);
    await world.change('demo', annotate({ [force]: 'true' }));
    const refused = await world.until('demo', (object) => keepsData(object) === 'SleepRefused');
    expect(refused?.status).toMatchObject({ phase: 'Ready' });
    expect(textAt(condition(refused, 'SleepKeepsData'), 'message')).toBe(
      'Not put to sleep, because everything in the virtual cluster would be lost: the Deployment demo has no volume. Give it a persistent volume. If the loss is acceptable, set the annotation sleepmode.platform.sh/accept-data-loss to "true".',
    );
    expect(world.told()).toContain('SleepRefused');
    await world.change('demo', annotate({ [force]: null }));
    await world.until('demo', (object) => keepsData(object) === '');
  });

  it('is not put to sleep by auto-sleep either', async () => {
    const world = await setUp(forgetful);
    await world.make('demo');
    await world.until('demo', isReady);
    await world.change('demo', annotate({ 'sleepmode.platform.sh/sleep-after': '60' }));
    const announced = await world.until('demo', (object) => keepsData(object) === 'SleepWouldLoseData');
    expect(textAt(condition(announced, 'SleepKeepsData'), 'message')).toBe(
      'Auto-sleep will not happen, because everything in the virtual cluster would be lost: the Deployment demo has no volume. Give it a persistent volume. If the loss is acceptable, set the annotation sleepmode.platform.sh/accept-data-loss to "true".',
    );
    await world.until('demo', (object) => keepsData(object) === 'SleepRefused');
    expect(world.peek('demo')?.status).toMatchObject({ phase: 'Ready' });
    await world.change('demo', annotate({ [accept]: 'true' }));
    expect((await world.until('demo', isIn('Sleeping')))?.status).toMatchObject({ reason: 'NotUsed' });
  });

  it('is not announced to stay awake if the loss is accepted', async () => {
    const world = await setUp(forgetful);
    await world.make('demo');
    await world.until('demo', isReady);
    await world.change('demo', annotate({ 'sleepmode.platform.sh/sleep-after': '60', [accept]: 'true' }));
    const seen = new Set<string>();
    await world.until('demo', (object) => {
      seen.add(keepsData(object));
      return isIn('Sleeping')(object);
    });
    expect(seen).not.toContain('SleepWouldLoseData');
  });

  it('sleeps after the loss was accepted, says what was lost, and gets its contents again when it wakes', async () => {
    const world = await setUp(forgetful);
    await world.make('demo');
    const before = await world.until('demo', isReady);
    await world.change('demo', annotate({ [force]: 'true', [accept]: 'true' }));
    const asleep = await world.until('demo', isIn('Sleeping'));
    expect(keepsData(asleep)).toBe('DataLost');
    expect(textAt(asleep as JsonValue, 'status', 'message')).toContain('deleted everything in it');
    await world.change('demo', annotate({ [force]: null }));
    const awake = await world.until('demo', isReady);
    expect(keepsData(awake)).toBe('DataLost');
    expect(textAt(awake as JsonValue, 'status', 'deployHash')).not.toBe(
      textAt(before as JsonValue, 'status', 'deployHash'),
    );
    await world.until('demo', () => world.told().includes('DataLost'));
  });
});

describe('a problem of the pods on the host', () => {
  it('is a Warning event with a count, also if Kubernetes alternates between its reasons', async () => {
    let problem: Partial<HostedVirtualCluster> = {};
    const world = await setUp((real) => ({
      async observe(place, call) {
        const observed = await real.observe(place, call);
        return observed && { ...observed, ...problem };
      },
    }));
    await world.make('demo');
    await world.until('demo', isReady);
    const show = async (phase: 'Pending' | 'Failed', reason: string, message: string) => {
      problem = { phase, reason, message };
      await world.change('demo', { metadata: { annotations: { change: message } } });
      await world.until('demo', (object) => hasReason(reason)(object));
    };
    await show('Pending', 'Unschedulable', 'no node has enough memory');
    await show('Failed', 'ErrImagePull', 'cannot pull from 10.0.0.1:4711');
    await show('Failed', 'ImagePullBackOff', 'back-off pulling the image');
    await show('Failed', 'ErrImagePull', 'cannot pull from 10.0.0.1:4712');
    problem = {};
    await world.change('demo', { metadata: { annotations: { change: 'none' } } });
    await world.until('demo', isReady);
    const warnings = () => world.events().filter((event) => textAt(event, 'type') === 'Warning');
    await world.until('demo', () => warnings().some((event) => numberAt(event, 'count') === 2));
    expect(
      warnings().map((event) => [textAt(event, 'reason'), textAt(event, 'message'), numberAt(event, 'count')]),
    ).toEqual(
      expect.arrayContaining([
        ['Unschedulable', 'no node has enough memory', 1],
        ['ErrImagePull', 'cannot pull from 10.0.0.1:4712', 2],
      ]),
    );
    expect(warnings()).toHaveLength(2);
  });
});

describe('status.observedGeneration', () => {
  it('stays behind a change of the spec until the change is reconciled, also if a reconcile fails midway', async () => {
    let failure: Error | undefined;
    let observations = 0;
    const world = await setUp((real) => ({
      async observe(place, call) {
        observations += 1;
        if (failure !== undefined) throw failure;
        return await real.observe(place, call);
      },
    }));
    await world.make('demo');
    expect((await world.until('demo', isReady))?.status).toMatchObject({ observedGeneration: 1 });
    failure = new Error('not an answer of the host');
    const before = observations;
    const changed = await world.change('demo', { spec: { displayName: 'Demo' } });
    expect(changed.object).toMatchObject({ metadata: { generation: 2 }, status: { observedGeneration: 1 } });
    await world.until('demo', () => observations >= before + 2);
    expect(world.peek('demo')?.status).toMatchObject({ phase: 'Ready', observedGeneration: 1 });
    failure = undefined;
    const observed = await world.until(
      'demo',
      (object) => Number(valueAt(object as JsonValue, 'status', 'observedGeneration')) === 2,
    );
    expect(condition(observed, 'Ready')).toMatchObject({ status: 'True', observedGeneration: 2 });
  });
});

describe('a host', () => {
  it('that fails to install is reported with the output of the installer, and retried', async () => {
    let fails = true;
    const words = 'helm said: values do not meet the specifications of the schema: replicas must be integer';
    const world = await setUp((real) => ({
      async install(wanted, call) {
        if (fails) throw new InstallError('ValuesRefused', words);
        await real.install(wanted, call);
      },
    }));
    await world.make('demo');
    const failed = await world.until('demo', isIn('Failed'));
    const why = { status: 'False', reason: 'ValuesRefused', message: expect.stringContaining(words) };
    expect(condition(failed, 'VirtualClusterDeployed')).toMatchObject(why);
    expect(condition(failed, 'Ready')).toMatchObject(why);
    fails = false;
    await world.until('demo', isReady);
    expect(world.told()).toContain('ValuesRefused');
  });

  it('with drift is repaired by a reinstallation, which is reported', async () => {
    let drift: string | undefined;
    const world = await setUp((real) => ({
      async install(wanted, call) {
        drift = undefined;
        await real.install(wanted, call);
      },
      async observe(place, call) {
        const observed = await real.observe(place, call);
        return observed && drift !== undefined ? { ...observed, drift } : observed;
      },
    }));
    await world.make('demo');
    await world.until('demo', isReady);
    drift = 'the release demo is gone';
    await world.change('demo', { metadata: { annotations: { look: 'again' } } });
    await world.until('demo', (object) => isReady(object) && drift === undefined);
    await world.until('demo', () => world.told().includes('Drifted'));
  });

  it('that never responds times out, and delays no other host (completions §3)', async () => {
    let hangs = true;
    const world = await setUp((real) => ({
      async observe(place, call) {
        if (hangs && place.name.startsWith('hung')) await new Promise<void>(() => {});
        return await real.observe(place, call);
      },
    }));
    // The number of instances exceeds the concurrency of one lane.
    const names = Array.from({ length: 40 }, (_, index) => `hung-${index}`);
    for (const name of names) await world.make(name);
    await world.until('hung-0', hasReason('Installing'));
    await world.create('clusters', 'other', { networkPeer: true });
    world.hosts.set('other', { ...world.planes.planes.host });
    await world.make('fine', { clusterRef: { cluster: 'other' } });
    await world.until('fine', isReady);
    world.clock.advance(defaultHostTimeouts.read);
    const failed = await world.until('hung-0', hasReason('HostFailed'));
    expect(condition(failed, 'VirtualClusterReady')).toMatchObject({ status: 'Unknown', reason: 'HostFailed' });
    expect(textAt(condition(failed, 'Ready'), 'message')).toContain('did not respond within 30 seconds');
    hangs = false;
    // The installs that started after this timeout wait for their own timeout.
    world.clock.advance(defaultHostTimeouts.read);
    for (const name of names) await world.until(name, isReady);
  });

  it('that is replaced is watched instead of the old one, and its instances are reconciled', async () => {
    const listeners: { listener: HostListener; signal: AbortSignal }[] = [];
    const world = await setUp((real) => ({
      watch(listener, signal) {
        listeners.push({ listener, signal });
        return real.watch(listener, signal);
      },
    }));
    await world.make('demo');
    await world.until('demo', isReady);
    const old = world.hosts.get('local');
    world.replace('local', undefined);
    await world.until('demo', isIn('Failed'));
    expect(listeners.map(({ signal }) => signal.aborted)).toEqual([true]);
    world.replace('local', old && { ...old });
    await world.until('demo', isReady);
    expect(listeners.map(({ signal }) => signal.aborted)).toEqual([true, false]);
  });

  it('that is gone permanently does not block the deletion of an abandoned instance (completions §3)', async () => {
    const world = await setUp();
    await world.make('demo');
    await world.until('demo', isReady);
    world.replace('local', undefined);
    await world.remove('demo');
    const held = await world.until(
      'demo',
      (object) => textAt(object as JsonValue | undefined, 'status', 'reason') === 'RemovalFailed',
    );
    expect(held?.metadata.finalizers).toEqual(['platform.sh/cleanup']);
    await world.change('demo', { metadata: { annotations: { 'platform.sh/abandon': 'the machine room flooded' } } });
    await world.until('demo', isGone);
  });
});
