import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type JsonObject, numberAt, textAt, valueAt } from '@flotilla/json';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { groupPath, mergePatch } from '../../src/server/server.fixture.ts';
import { describeIfAvailable } from '../harness/suite.ts';
import { type InstanceTimes, measureInstances } from './harness/measure-instances.ts';
import { type Flotilla, instancesPath, openFlotilla } from './harness/open-flotilla.ts';
import { findKubernetes } from './harness/programs.ts';
import { type Kubernetes, startKubernetes } from './harness/start-kubernetes.ts';

const programs = findKubernetes();
const cluster = 'europe';

describeIfAvailable(typeof programs === 'string' ? programs : undefined, 'instances on a real cluster', () => {
  let kubernetes: Kubernetes;
  let flotilla: Flotilla;
  let times: InstanceTimes;

  beforeAll(async () => {
    if (typeof programs === 'string') return;
    kubernetes = await startKubernetes({ programs });
    flotilla = await openFlotilla(kubernetes);
    await flotilla.connect(cluster, kubernetes);
    times = measureInstances(kubernetes, flotilla);
  });
  afterAll(async () => {
    await times?.stop();
    await flotilla?.close();
    await kubernetes?.stop();
  });

  const labelled = (tier: string): JsonObject => ({
    helmRelease: { values: `controlPlane: {statefulSet: {pods: {labels: {tier: ${tier}}}}}` },
  });
  async function make(name: string, spec: JsonObject = {}): Promise<JsonObject> {
    const before = Date.now();
    const made = await flotilla.createInstance(name, { clusterRef: { cluster }, template: {}, ...spec });
    times.created(name, placeOf(made), before);
    return made;
  }
  /**
   * Starts the deletion of an instance without waiting for its end. Tests delete their instances because each one keeps
   * a whole API server running.
   */
  const letGo = (name: string) => flotilla.admin.ok(['delete', `vci/${name}`, '--wait=false']);
  const placeOf = (instance: JsonObject) => ({
    namespace: textAt(instance, 'spec', 'clusterRef', 'namespace'),
    name: textAt(instance, 'spec', 'clusterRef', 'virtualCluster'),
  });
  const service = async (namespace: string, name: string) =>
    await kubernetes.api.request('GET', `/api/v1/namespaces/${namespace}/services/${name}`);
  const revision = async (namespace: string, name: string) =>
    JSON.parse(await kubernetes.helm('list', '-n', namespace, '-o', 'json')).find(
      (each: { name: string }) => each.name === name,
    )?.revision;

  it('are installed by helm, and Ready when their API responds (completions §9.2)', async () => {
    const place = placeOf(await make('first'));
    await flotilla.wait('first', 'condition=Ready');
    const ready = await flotilla.instance('first');
    expect(textAt(ready, 'status', 'phase')).toBe('Ready');
    const { body } = await service(place.namespace, place.name);
    expect(textAt(ready, 'status', 'serviceUID')).toBe(textAt(body, 'metadata', 'uid'));
    expect(await revision(place.namespace, place.name)).toBe('1');
    const inside = await flotilla.kubectlInside('first');
    expect(await inside.ok(['get', 'ns', '-o', 'name'])).toContain('namespace/default');
  });

  it('are used with kubectl by several users, each with their permissions inside (completions §8)', async () => {
    const [anna, bob] = [await flotilla.createUser('anna'), await flotilla.createUser('bob')];
    const place = placeOf(
      await make('shared', {
        access: [{ name: 'use', verbs: ['get', 'use'], users: ['anna'] }],
        extraAccessRules: [{ users: ['anna'], clusterRole: 'edit' }],
      }),
    );
    await flotilla.wait('shared', 'condition=Ready');
    await (await kubernetes.standIn(place)).startNode();
    const admin = await flotilla.kubectlInside('shared');
    const inside = await flotilla.kubectlInside('shared', anna);
    await expect(flotilla.kubectlInside('shared', bob)).rejects.toThrow(/Forbidden/);

    expect(await inside.ok(['auth', 'whoami', '-o', 'jsonpath={.status.userInfo.username}'])).toBe('anna');
    expect((await inside.run(['create', 'namespace', 'mine'])).stderr).toMatch(/Forbidden.*User "anna" cannot create/);
    expect((await inside.run(['get', 'cm', '--as', 'root', '--as-group', 'system:masters'])).stderr).toMatch(
      /Forbidden/,
    );
    await admin.ok(['create', 'namespace', 'by-admin']);

    await inside.ok(['run', 'web', '--image=web', '--port=80']);
    await inside.ok(['wait', '--for=condition=Ready', 'pod/web', '--timeout=30s']);
    expect(await inside.ok(['exec', 'web', '--', 'sh', '-c', 'echo "$POD"'])).toBe('default/web\n');
    expect(await inside.ok(['exec', '-i', 'web', '--', 'cat'], { input: 'to and fro' })).toBe('to and fro');
    expect((await inside.run(['exec', 'web', '--', 'sh', '-c', 'echo no >&2; exit 7'])).code).toBe(7);
    const logs = inside.follow(['logs', '-f', 'web']);
    await logs.waitForOutput(/has started/);
    await inside.ok(['attach', '-i', 'web'], { input: 'said to it\n' });
    await logs.waitForOutput(/said to it/);
    await logs.stop();

    const page = createServer((_, response) => response.end('from the pod')).listen(0, '127.0.0.1');
    await once(page, 'listening');
    const forward = inside.follow(['port-forward', 'pod/web', `:${(page.address() as AddressInfo).port}`]);
    const [, port] = /127\.0\.0\.1:(\d+)/.exec(await forward.waitForOutput(/127\.0\.0\.1:\d+/)) ?? [];
    expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe('from the pod');
    await forward.stop();
    await once(page.close(), 'close');

    const watch = inside.follow(['get', 'configmaps', '-w', '-o', 'name']);
    await inside.ok(['create', 'configmap', 'first']);
    await watch.waitForOutput(/configmap\/first/);
    await inside.ok(['create', 'configmap', 'second']);
    await watch.waitForOutput(/configmap\/second/);
    await flotilla.admin.ok(['delete', 'accesskey', 'annas']);
    await expect(watch.waitForOutput(/configmap\/third/)).rejects.toThrow(/exited before/);
    expect((await inside.run(['get', 'cm'])).stderr).toMatch(/Unauthorized|logged in/);
    await letGo('shared');
  });

  it('are upgraded when their desired state changes, and left unchanged otherwise (completions §9.2)', async () => {
    const place = placeOf(await make('changing', { template: labelled('silver') }));
    await flotilla.wait('changing', 'condition=Ready');
    const pod = () => kubernetes.api.ok('GET', `/api/v1/namespaces/${place.namespace}/pods/${place.name}-0`);
    const first = await pod();
    expect(textAt(first, 'metadata', 'labels', 'tier')).toBe('silver');
    await flotilla.admin.ok(['label', 'vci/changing', 'seen=yes']);
    await flotilla.ask(`${instancesPath}/changing`, mergePatch({ spec: { template: labelled('gold') } }));
    await kubernetes.kubectl.ok([
      ...['wait', '-n', place.namespace, `statefulset/${place.name}`],
      '--for=jsonpath={.spec.template.metadata.labels.tier}=gold',
      '--timeout=60s',
    ]);
    await kubernetes.kubectl.ok(['rollout', 'status', '-n', place.namespace, `statefulset/${place.name}`]);
    await flotilla.wait('changing', 'condition=Ready');
    expect(textAt(await pod(), 'metadata', 'uid')).not.toBe(textAt(first, 'metadata', 'uid'));
    expect(await revision(place.namespace, place.name)).toBe('2');
    await flotilla.ask(`${instancesPath}/changing`, mergePatch({ spec: { displayName: 'Changing' } }));
    await flotilla.wait('changing', 'condition=Ready');
    expect(await revision(place.namespace, place.name)).toBe('2');
    await letGo('changing');
  });

  it('show helm’s own message for invalid values, and proceed when they are corrected', async () => {
    await make('wrong', { template: { helmRelease: { values: 'noSuchThing: 1' } } });
    await flotilla.wait('wrong', 'condition=VirtualClusterDeployed=false');
    await flotilla.wait(
      'wrong',
      'jsonpath={.status.conditions[?(@.type=="VirtualClusterDeployed")].reason}=ValuesRefused',
    );
    expect(JSON.stringify(valueAt(await flotilla.instance('wrong'), 'status'))).toMatch(/noSuchThing/);
    await flotilla.ask(`${instancesPath}/wrong`, mergePatch({ spec: { template: { helmRelease: { values: '' } } } }));
    await flotilla.wait('wrong', 'condition=Ready');
    await letGo('wrong');
  });

  it('show failures on the cluster, and repair deleted parts (completions §9.2)', async () => {
    const crashing = 'controlPlane: {statefulSet: {pods: {annotations: {node.flotilla.test/state: crash-looping}}}}';
    const place = placeOf(await make('troubled', { template: { helmRelease: { values: crashing } } }));
    await flotilla.wait('troubled', 'jsonpath={.status.phase}=Failed');
    expect(textAt(await flotilla.instance('troubled'), 'status', 'message')).toMatch(/syncer.*keeps crashing/);
    const sound = mergePatch({ spec: { template: { helmRelease: { values: '' } } } });
    await flotilla.ask(`${instancesPath}/troubled`, sound);
    await flotilla.wait('troubled', 'condition=Ready');

    const { namespace, name } = place;
    const before = (await kubernetes.standIn(place)).pid;
    await kubernetes.kubectl.ok(['delete', 'statefulset', '-n', namespace, name]);
    await kubernetes.kubectl.ok(['wait', '-n', namespace, `statefulset/${name}`, '--for=create', '--timeout=60s']);
    await kubernetes.kubectl.ok(['rollout', 'status', '-n', namespace, `statefulset/${name}`, '--timeout=60s']);
    await flotilla.wait('troubled', 'condition=Ready');
    expect((await kubernetes.standIn(place)).pid).not.toBe(before);
    expect(await revision(namespace, name)).toBe('3');
    await letGo('troubled');
  });

  it('without a persistent volume are not put to sleep, unless the loss of their data is accepted', async () => {
    const values = 'controlPlane: {statefulSet: {persistence: {volumeClaim: {enabled: false}}}}';
    const objects = 'apiVersion: v1\nkind: Namespace\nmetadata: {name: from-template}';
    const place = placeOf(await make('forgetful', { template: { helmRelease: { values }, objects } }));
    await flotilla.wait('forgetful', 'condition=Ready');
    const inside = await flotilla.kubectlInside('forgetful');
    await inside.ok(['create', 'ns', 'lost']);
    const keepsData = "jsonpath={.status.conditions[?(@.type=='SleepKeepsData')].reason}";
    await flotilla.admin.ok(['annotate', 'vci/forgetful', 'sleepmode.platform.sh/force=true']);
    await flotilla.wait('forgetful', `${keepsData}=SleepRefused`);
    expect(textAt(await flotilla.instance('forgetful'), 'status', 'phase')).toBe('Ready');
    expect(await inside.ok(['get', 'ns', '-o', 'name'])).toContain('namespace/lost');

    await flotilla.admin.ok(['annotate', 'vci/forgetful', 'sleepmode.platform.sh/accept-data-loss=true']);
    await flotilla.wait('forgetful', 'jsonpath={.status.phase}=Sleeping');
    expect(textAt(await flotilla.instance('forgetful'), 'status', 'message')).toContain('deleted everything in it');
    await kubernetes.api.ok('GET', `/apis/apps/v1/namespaces/${place.namespace}/deployments/${place.name}`);
    await flotilla.admin.ok(['annotate', 'vci/forgetful', 'sleepmode.platform.sh/force-']);
    await flotilla.wait('forgetful', 'condition=Ready');
    await flotilla.wait('forgetful', `${keepsData}=DataLost`);
    const namespaces = await inside.ok(['get', 'ns', '-o', 'name']);
    expect(namespaces).toContain('namespace/from-template');
    expect(namespaces).not.toContain('namespace/lost');
    const events = await flotilla.admin.ok(['get', 'events', '-o', 'jsonpath={.items[*].reason}']);
    expect(events).toContain('DataLost');
    await letGo('forgetful');
  });

  it('sleep without pods, report that to clients, and wake with their contents', async () => {
    const place = placeOf(await make('sleepy'));
    await flotilla.wait('sleepy', 'condition=Ready');
    const inside = await flotilla.kubectlInside('sleepy');
    await inside.ok(['create', 'namespace', 'kept']);
    await inside.ok(['get', 'ns']);
    await flotilla.admin.ok(['annotate', 'vci/sleepy', 'sleepmode.platform.sh/force=true']);
    await flotilla.wait('sleepy', 'jsonpath={.status.phase}=Sleeping');
    const workload = `/apis/apps/v1/namespaces/${place.namespace}/statefulsets/${place.name}`;
    expect(numberAt(await kubernetes.api.ok('GET', workload), 'spec', 'replicas')).toBe(0);
    expect((await inside.run(['get', 'ns', 'kept'])).stderr).toMatch(/is asleep.*Remove the annotation/);
    await flotilla.admin.ok(['annotate', 'vci/sleepy', 'sleepmode.platform.sh/force-']);
    await flotilla.wait('sleepy', 'condition=Ready');
    expect(await inside.ok(['get', 'ns', 'kept', '-o', 'name'])).toBe('namespace/kept\n');
    await letGo('sleepy');
  });

  it('created by hand are found and imported as they run; external ones are never changed (completions §9.2)', async () => {
    const places = ['found', 'foreign'].map((name) => ({ namespace: `of-${name}`, name }));
    const inside = await Promise.all(places.map((place) => kubernetes.installByHand(place)));
    const podOf = async ({ namespace, name }: { namespace: string; name: string }) =>
      textAt(await kubernetes.api.ok('GET', `/api/v1/namespaces/${namespace}/pods/${name}-0`), 'metadata', 'uid');
    const pods = await Promise.all(places.map(podOf));
    const { json } = await flotilla.ask(`${groupPath}/clusters/${cluster}/virtualclusters`);
    expect(JSON.stringify(json)).toContain('"name":"found"');
    for (const { name, namespace } of places) {
      const body = { sourceVirtualCluster: { name, namespace, cluster }, skipHelmDeploy: name === 'foreign' };
      const imported = await flotilla.ask(`${groupPath}/projects/default/importvirtualcluster`, {
        method: 'POST',
        body,
      });
      expect(imported.code, imported.text).toBe(201);
      await flotilla.wait(name, 'condition=Ready');
    }
    expect(await Promise.all(places.map(podOf))).toEqual(pods);
    expect(await Promise.all(places.map(({ namespace, name }) => revision(namespace, name)))).toEqual(['1', '1']);
    await (await flotilla.kubectlInside('foreign')).ok(['create', 'namespace', 'through-the-gateway']);
    await inside[1]?.kubectl.ok(['get', 'namespace', 'through-the-gateway']);

    for (const { name } of places) await flotilla.admin.ok(['delete', `vci/${name}`, '--timeout=60s']);
    expect((await service('of-found', 'found')).code).toBe(404);
    expect((await kubernetes.api.request('GET', '/api/v1/namespaces/of-found')).code).toBe(200);
    expect(await revision('of-foreign', 'foreign')).toBe('1');
    expect(await podOf({ namespace: 'of-foreign', name: 'foreign' })).toBe(pods[1]);
  });

  it('are removed from the cluster when they are deleted here, and nothing else is (completions §9.2)', async () => {
    const place = placeOf(await make('brief'));
    await flotilla.wait('brief', 'condition=Ready');
    await flotilla.admin.ok(['delete', 'vci/brief', '--timeout=60s']);
    expect((await kubernetes.api.request('GET', `/api/v1/namespaces/${place.namespace}`)).code).toBe(404);
    const roles = await kubernetes.kubectl.ok(['get', 'clusterroles,clusterrolebindings', '-o', 'name']);
    expect(roles).not.toContain(`vc-${place.name}-v-${place.namespace}`);
    expect((await kubernetes.api.request('GET', '/api/v1/namespaces/of-foreign')).code).toBe(200);
  });

  it('serve the log of their control plane', async () => {
    const { code, text } = await flotilla.ask(`${instancesPath}/first/log?tailLines=1`);
    expect([code, text]).toEqual([200, expect.stringMatching(/^container \w+ of pod .* has started\n$/)]);
  });

  it('start helm and become Ready without waiting for a periodic check', () => {
    const { untilHelm, untilReady } = times.medians();
    console.log(`median: ${untilHelm} ms from create to helm, ${untilReady} ms from its API to Ready`);
    // On an idle machine, both durations are a fraction of a second. If other suites run at the same time, helm alone
    // needs more than a second to start.
    expect(untilHelm).toBeLessThan(5_000);
    expect(untilReady).toBeLessThan(5_000);
  });
});
