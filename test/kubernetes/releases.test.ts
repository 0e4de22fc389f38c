import { readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { type JsonObject, listAt, numberAt, objectAt, textAt, valueAt } from '@flotilla/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  fallingAsleepAnnotation,
  hostOwnerLabel,
  keepNamespaceAnnotation,
  replicasAnnotation,
} from '../../src/api/naming.ts';
import type { HostedVirtualCluster, HostLocation, InstallRequest } from '../../src/hosts/host.ts';
import { readObjects } from '../../src/hosts/read-objects.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { describeIfAvailable } from '../harness/suite.ts';
import { type OpenHost, openHost } from './harness/open-host.ts';
import { findKubernetes } from './harness/programs.ts';
import { type Kubernetes, startKubernetes } from './harness/start-kubernetes.ts';

const programs = findKubernetes();
const merge = 'application/merge-patch+json';
const stateOfPods = (state: string) =>
  `controlPlane: {statefulSet: {pods: {annotations: {node.flotilla.test/state: ${state}}}}}`;
const replicas = (count: number) => `controlPlane: {statefulSet: {highAvailability: {replicas: ${count}}}}`;

describeIfAvailable(typeof programs === 'string' ? programs : undefined, 'releases of vCluster on Kubernetes', () => {
  let kubernetes: Kubernetes;
  let opened: OpenHost;
  beforeAll(async () => {
    if (typeof programs === 'string') return;
    kubernetes = await startKubernetes({ programs, standIns: false });
    opened = openHost(kubernetes);
  });
  afterAll(async () => {
    await opened.close();
    await kubernetes.stop();
  });

  const at = (name: string): HostLocation => ({ namespace: `of-${name}`, name });
  const install = (name: string, values = '', more: Partial<InstallRequest> = {}) =>
    opened.host.install({ location: at(name), owner: `owner-${name}`, helm: { values }, ...more });
  const namespaced = (name: string, path: string) => path.replace('NAMESPACE', at(name).namespace);
  const workload = (name: string) => namespaced(name, `/apis/apps/v1/namespaces/NAMESPACE/statefulsets/${name}`);
  const service = (name: string) => namespaced(name, `/api/v1/namespaces/NAMESPACE/services/${name}`);

  async function until<T>(look: () => Promise<T | undefined | false>): Promise<T> {
    for (;;) {
      const found = await look();
      if (found !== undefined && found !== false) return found;
      await delay(50);
    }
  }
  const observed = (name: string, holds: (seen: HostedVirtualCluster) => boolean) =>
    until(async () => {
      const seen = await opened.host.observe(at(name));
      return seen !== undefined && holds(seen) && seen;
    });
  const records = async (name: string) => {
    const path = namespaced(name, `/api/v1/namespaces/NAMESPACE/secrets?labelSelector=owner%3Dhelm,name%3D${name}`);
    return listAt(await kubernetes.api.ok('GET', path), 'items') as readonly JsonObject[];
  };
  const revision = async (name: string) =>
    Math.max(...(await records(name)).map((record) => Number(textAt(record, 'metadata', 'labels', 'version'))));

  describe('an installation', () => {
    it('runs helm once for the same desired state, and again for another one', async () => {
      await Promise.all([install('once'), install('once')]);
      await install('once');
      expect(await revision('once')).toBe(1);
      const { uid } = await observed('once', ({ owner }) => owner === 'owner-once');
      await install('once', replicas(2));
      expect(await revision('once')).toBe(2);
      expect(numberAt(await kubernetes.api.ok('GET', workload('once')), 'spec', 'replicas')).toBe(2);
      expect((await opened.host.observe(at('once')))?.uid).toBe(uid);
      await install('once');
      expect(numberAt(await kubernetes.api.ok('GET', workload('once')), 'spec', 'replicas')).toBe(1);
    });

    it('adds the requested metadata and objects to the virtual cluster and its namespace', async () => {
      const objects = 'kind: ConfigMap\napiVersion: v1\nmetadata: {name: inside, namespace: elsewhere}\ndata: {a: b}\n';
      await install('dressed', '', {
        displayName: 'Dressed',
        metadata: { labels: { tier: 'gold' }, annotations: { note: 'a' } },
        space: { labels: { team: 'red' }, annotations: { cost: 'b' }, objects: readObjects(objects) },
      });
      const made = await kubernetes.api.ok('GET', service('dressed'));
      expect(objectAt(made, 'metadata', 'labels')).toMatchObject({ tier: 'gold', [hostOwnerLabel]: 'owner-dressed' });
      expect(objectAt(made, 'metadata', 'annotations')).toMatchObject({ note: 'a' });
      const namespace = await kubernetes.api.ok('GET', '/api/v1/namespaces/of-dressed');
      expect(objectAt(namespace, 'metadata', 'labels')).toMatchObject({
        team: 'red',
        [hostOwnerLabel]: 'owner-dressed',
      });
      const path = '/api/v1/namespaces/of-dressed/configmaps/inside';
      expect(valueAt(await kubernetes.api.ok('GET', path), 'data', 'a')).toBe('b');
    });

    it('leaves no trace of the credentials and values that helm was given', async () => {
      await install('clean');
      expect(readdirSync(opened.workDir).filter((name) => name.startsWith('run-'))).toEqual([]);
    });

    it('reports in helm’s own words why values are refused, and proceeds when they are corrected', async () => {
      const refused = await install(
        'values',
        'controlPlane: {statefulSet: {highAvailability: {replicas: many}}}',
      ).catch((error: unknown) => error);
      expect(refused).toMatchObject({ name: 'InstallError', fault: 'ValuesRefused', code: 422 });
      expect((refused as Error).message).toMatch(/highAvailability\/replicas.*got string, want integer/);
      await expect(install('values', 'a: [b')).rejects.toMatchObject({ fault: 'ValuesRefused' });
      await expect(install('values', 'sync: {nonsense: 1}')).rejects.toMatchObject({ fault: 'ValuesRefused' });
      await install('values');
      expect(await opened.host.observe(at('values'))).toMatchObject({ owner: 'owner-values' });
    });

    it('reports what to do if the chart or helm is missing', async () => {
      const version = '0.0.7';
      await expect(install('chart', '', { helm: { chart: { version } } })).rejects.toMatchObject({
        fault: 'ChartNotFound',
        message: expect.stringContaining(version),
      });
      const without = openHost(kubernetes, { program: '/nowhere/helm' });
      const installing = without.host.install({ location: at('without'), owner: 'somebody' });
      await expect(installing).rejects.toMatchObject({
        fault: 'HelmMissing',
        message: expect.stringContaining('helm.program'),
      });
      await without.close();
    });

    it('does not change a release of that name that another client created in our namespace', async () => {
      await install('mixed');
      await opened.host.remove(at('mixed'), { owner: 'nobody', uid: 'none' });
      await kubernetes.helm('uninstall', 'mixed', '--namespace', 'of-mixed');
      await observedGone('mixed');
      await kubernetes.helm('install', 'mixed', kubernetes.programs.chart, '--namespace', 'of-mixed');
      await expect(install('mixed')).rejects.toMatchObject({ code: 409 });
      const { uid } = await observed('mixed', ({ owner }) => owner === '');
      expect(await opened.host.remove(at('mixed'), { owner: 'owner-mixed', uid: 'another' })).toBe(true);
      expect((await opened.host.observe(at('mixed')))?.uid).toBe(uid);
    });

    it('continues after a helm process was killed', async () => {
      await install('killed');
      const [record] = await records('killed');
      const path = namespaced('killed', `/api/v1/namespaces/NAMESPACE/secrets/${textAt(record, 'metadata', 'name')}`);
      await kubernetes.api.ok('PATCH', path, { metadata: { labels: { status: 'pending-install' } } }, merge);
      await expect(install('killed', replicas(2))).rejects.toMatchObject({
        code: 503,
        message: expect.stringContaining('may still be running'),
      });
      const quick = openHost(kubernetes, { timeoutSeconds: 0 });
      const helmWith = { location: at('killed'), owner: 'owner-killed', helm: { values: replicas(2) } };
      await expect(quick.host.install(helmWith)).rejects.toMatchObject({ fault: 'HelmTimedOut' });
      await quick.close();
      await install('killed', replicas(2));
      expect(numberAt(await kubernetes.api.ok('GET', workload('killed')), 'spec', 'replicas')).toBe(2);
    });
  });

  it('stops helm cleanly when it is closed, and the next one continues from there', async () => {
    const first = openHost(kubernetes);
    const place = at('handed-on');
    const installing = first.host.install({ location: place, owner: 'owner-handed-on' });
    // helm may finish before the test stops it.
    const outcome = installing.then(
      () => 503,
      (error: { code?: number }) => error.code,
    );
    await until(async () => (await records('handed-on')).length > 0);
    await first.host.close();
    expect(await outcome).toBe(503);
    expect(readdirSync(first.workDir).filter((name) => name.startsWith('run-'))).toEqual([]);
    await first.close();
    await install('handed-on');
    expect(await opened.host.observe(place)).toMatchObject({ owner: 'owner-handed-on' });
  });

  const observedGone = (name: string) => until(async () => (await opened.host.observe(at(name))) === undefined);

  describe('an observation', () => {
    it('reports that a pod is crash-looping, and why', async () => {
      await install('crash', stateOfPods('crash-looping'));
      const failed = await observed('crash', ({ phase }) => phase === 'Failed');
      expect(failed).toMatchObject({ reason: 'CrashLoopBackOff', message: expect.stringContaining('pod crash-0') });
      await install('crash', stateOfPods('not-ready'));
      await kubernetes.api.ok('DELETE', '/api/v1/namespaces/of-crash/pods/crash-0?gracePeriodSeconds=0');
      await observed('crash', ({ phase }) => phase === 'Pending');
    });

    it('reports that a quota prevents the pods', async () => {
      const objects = 'kind: ResourceQuota\napiVersion: v1\nmetadata: {name: none}\nspec: {hard: {pods: "0"}}\n';
      await install('quota', '', { space: { objects: readObjects(objects) } });
      const seen = await observed('quota', ({ reason }) => reason === 'NoPods');
      expect(seen).toMatchObject({ phase: 'Failed', message: expect.stringContaining('exceeded quota: none') });
    });

    it('reports that a virtual cluster with a ready pod does not respond', async () => {
      await install('silent');
      const seen = await observed('silent', ({ reason }) => reason === 'NotAnswering');
      expect(seen).toMatchObject({ phase: 'Pending', message: expect.stringContaining('cannot be reached') });
    });

    it('reports missing parts, and another installation repairs them', async () => {
      await install('drift');
      expect(await opened.host.observe(at('drift'))).not.toHaveProperty('drift');
      await kubernetes.api.ok('DELETE', workload('drift'));
      const gone = await observed('drift', ({ drift }) => drift !== undefined);
      expect(gone).toMatchObject({ phase: 'Failed', reason: 'WorkloadGone', drift: expect.stringContaining('drift') });
      await install('drift');
      expect(await opened.host.observe(at('drift'))).not.toHaveProperty('drift');
      for (const record of await records('drift')) {
        const name = textAt(record, 'metadata', 'name');
        await kubernetes.api.ok('DELETE', namespaced('drift', `/api/v1/namespaces/NAMESPACE/secrets/${name}`));
      }
      const unrecorded = await observed('drift', ({ drift }) => drift !== undefined);
      expect(unrecorded.drift).toContain('record of the Helm release');
      await install('drift');
      expect(await opened.host.observe(at('drift'))).toMatchObject({ uid: gone.uid, owner: 'owner-drift' });
      expect(await opened.host.observe(at('drift'))).not.toHaveProperty('drift');
    });
  });

  describe('sleep', () => {
    it('keeps the number of replicas, ends the pods of those inside, and survives an upgrade', async () => {
      await install('tired', replicas(2));
      const inner = {
        metadata: { name: 'web-x-default-x-tired', labels: { 'vcluster.loft.sh/managed-by': 'tired' } },
        spec: { containers: [{ name: 'web', image: 'web' }] },
      };
      const pods = '/api/v1/namespaces/of-tired/pods';
      await kubernetes.api.ok('POST', pods, inner);
      await opened.host.sleep(at('tired'));
      expect(await opened.host.observe(at('tired'))).toMatchObject({ phase: 'Sleeping' });
      const asleep = await kubernetes.api.ok('GET', workload('tired'));
      expect(numberAt(asleep, 'spec', 'replicas')).toBe(0);
      expect(textAt(asleep, 'metadata', 'annotations', replicasAnnotation)).toBe('2');
      await until(async () => listAt(await kubernetes.api.ok('GET', pods), 'items').length === 0);
      await until(
        async () =>
          valueAt(
            await kubernetes.api.ok('GET', workload('tired')),
            'metadata',
            'annotations',
            fallingAsleepAnnotation,
          ) === undefined,
      );
      await install('tired', replicas(3));
      expect(await opened.host.observe(at('tired'))).toMatchObject({ phase: 'Sleeping' });
      await opened.host.wake(at('tired'));
      const awake = await kubernetes.api.ok('GET', workload('tired'));
      expect(numberAt(awake, 'spec', 'replicas')).toBe(3);
      expect(objectAt(awake, 'metadata', 'annotations')).not.toHaveProperty(replicasAnnotation);
    });

    it('stops and starts all parts of a virtual cluster that is a Deployment with a separate store', async () => {
      await install('parts', 'controlPlane: {backingStore: {etcd: {deploy: {enabled: true}}}}');
      const apps = '/apis/apps/v1/namespaces/of-parts';
      const counts = async () => {
        const parts = [`${apps}/deployments/parts`, `${apps}/statefulsets/parts-etcd`];
        return await Promise.all(
          parts.map(async (path) => numberAt(await kubernetes.api.ok('GET', path), 'spec', 'replicas')),
        );
      };
      expect(await counts()).toEqual([1, 1]);
      await observed('parts', ({ reason }) => reason === 'NotAnswering');
      await opened.host.sleep(at('parts'));
      expect(await counts()).toEqual([0, 0]);
      expect(await opened.host.observe(at('parts'))).toMatchObject({ phase: 'Sleeping' });
      await opened.host.wake(at('parts'));
      expect(await counts()).toEqual([1, 1]);
    });

    it('wakes a virtual cluster that vCluster’s own command has paused', async () => {
      await install('paused');
      const annotations = { 'loft.sh/paused': 'true', 'loft.sh/paused-replicas': '2' };
      await kubernetes.api.ok('PATCH', workload('paused'), { metadata: { annotations }, spec: { replicas: 0 } }, merge);
      await observed('paused', ({ phase }) => phase === 'Sleeping');
      await opened.host.wake(at('paused'));
      const awake = await kubernetes.api.ok('GET', workload('paused'));
      expect(numberAt(awake, 'spec', 'replicas')).toBe(2);
      expect(objectAt(awake, 'metadata', 'annotations')).not.toHaveProperty('loft.sh/paused');
    });
  });

  describe('a removal', () => {
    const remove = (name: string) => until(() => opened.host.remove(at(name), { owner: `owner-${name}` }));

    it('keeps a namespace that is to be kept', async () => {
      await install('kept', '', { space: { annotations: { [keepNamespaceAnnotation]: 'true' } } });
      await remove('kept');
      const namespace = await kubernetes.api.ok('GET', '/api/v1/namespaces/of-kept');
      expect(valueAt(namespace, 'metadata', 'labels', hostOwnerLabel)).toBeUndefined();
      for (const path of ['/api/v1/namespaces/of-kept/persistentvolumeclaims', '/api/v1/namespaces/of-kept/pods']) {
        expect(listAt(await kubernetes.api.ok('GET', path), 'items')).toEqual([]);
      }
      expect(await records('kept')).toEqual([]);
      expect(await opened.host.remove(at('kept'), { owner: 'owner-kept' })).toBe(true);
    });

    it('reports what blocks it if it takes long', async () => {
      await install('held');
      const held = { metadata: { name: 'held', finalizers: ['example.com/holds'] } };
      await kubernetes.api.ok('POST', '/api/v1/namespaces/of-held/configmaps', held);
      const later = openHost(kubernetes, {}, { ...systemClock, now: () => systemClock.now() + 120_000 });
      const failed = await until(() =>
        later.host.remove(at('held'), { owner: 'owner-held' }).then(
          () => undefined,
          (error: unknown) => error,
        ),
      );
      expect(failed).toMatchObject({ code: 503, message: expect.stringContaining('example.com/holds') });
      await later.close();
    });

    it('removes a virtual cluster whose record is lost', async () => {
      await install('lost');
      for (const record of await records('lost')) {
        const name = textAt(record, 'metadata', 'name');
        await kubernetes.api.ok('DELETE', namespaced('lost', `/api/v1/namespaces/NAMESPACE/secrets/${name}`));
      }
      await remove('lost');
      expect((await kubernetes.api.request('GET', '/api/v1/namespaces/of-lost')).code).toBe(404);
    });

    it('keeps a namespace in which a virtual cluster of another owner runs', async () => {
      await install('shared');
      await kubernetes.helm('install', 'guest', kubernetes.programs.chart, '--namespace', 'of-shared');
      await remove('shared');
      expect(await opened.host.observe({ namespace: 'of-shared', name: 'guest' })).toMatchObject({ owner: '' });
      expect((await kubernetes.api.request('GET', service('shared'))).code).toBe(404);
    });
  });

  it('reports a hanging cluster, notifies followers, and continues when it is back', async () => {
    // A clock whose timers run 30 times faster: half a minute takes one second.
    const hurried = { ...systemClock, after: (ms: number, call: () => void) => systemClock.after(ms / 30, call) };
    const other = openHost(kubernetes, {}, hurried);
    await other.host.observe(at('once'));
    const stop = new AbortController();
    let gaps = 0;
    const following = other.host.watch({ onChange() {}, onGap: () => gaps++ }, stop.signal);
    kubernetes.freeze();
    const refused = await until(() =>
      other.host.observe(at('once')).then(
        () => undefined,
        (error: unknown) => error,
      ),
    );
    expect(refused).toMatchObject({ code: 503, message: expect.stringContaining('did not respond') });
    expect(gaps).toBe(2);
    kubernetes.thaw();
    await until(() => other.host.observe(at('once')).catch(() => undefined));
    expect(gaps).toBe(3);
    stop.abort();
    await following;
    await other.close();
  });

  it('ends for its followers, and answers 503, once it is closed', async () => {
    const other = openHost(kubernetes);
    const following = other.host.watch({ onChange() {}, onGap() {} }, new AbortController().signal);
    await other.host.observe(at('once'));
    await other.close();
    await following;
    await expect(other.host.observe(at('once'))).rejects.toMatchObject({ code: 503 });
    await expect(other.host.sleep(at('once'))).rejects.toMatchObject({ code: 503 });
  });

  it('watches each kind once, for any number of virtual clusters', async () => {
    const other = openHost(kubernetes);
    const since = kubernetes.audited().length;
    await Promise.all(['many-1', 'many-2', 'many-3'].map((name) => other.host.observe(at(name))));
    await Promise.all(['once', 'dressed', 'drift'].map((name) => other.host.observe(at(name))));
    const watches = kubernetes
      .audited()
      .slice(since)
      .filter(({ verb, stage, userAgent = '' }) => verb === 'watch' && stage === 'ResponseStarted' && userAgent === '');
    const kinds = watches.map(({ requestURI }) => new URL(requestURI, 'https://host').pathname).sort();
    expect(kinds).toEqual([
      '/api/v1/namespaces',
      '/api/v1/pods',
      '/api/v1/secrets',
      '/api/v1/services',
      '/apis/apps/v1/deployments',
      '/apis/apps/v1/statefulsets',
    ]);
    await other.close();
  });
});
