import { type JsonObject, type JsonValue, listAt, textAt } from '@flotilla/json';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../lib/clock.ts';
import { builtInClusterPath } from './built-in-cluster.fixture.ts';
import { inPhase, instancesOf, isGone, isReconciled, waitForInstance } from './instances.fixture.ts';
import { groupPath, mergePatch, type ParsedResponse, type RequestOptions, ServerTestEnv } from './server.fixture.ts';
import type { RunningServer } from './start-server.ts';

const instances = instancesOf('default');

let bench: ServerTestEnv;
let server: RunningServer;
beforeEach(async () => {
  bench = await ServerTestEnv.open();
  server = await bench.start();
});
afterEach(() => bench.close());

const ask = (path: string, call: RequestOptions = {}): Promise<ParsedResponse> => bench.send(server, path, call);

async function make(name: string, spec: JsonObject = {}, annotations: JsonObject = {}): Promise<JsonObject> {
  const answer = await ask(instances, { method: 'POST', body: { metadata: { name, annotations }, spec } });
  expect(answer.code, answer.text).toBe(201);
  return answer.json;
}

const until = (name: string, has: (object: JsonObject | undefined) => boolean) =>
  waitForInstance(bench, server, { name }, has);
const isReady = inPhase('Ready');

function condition(object: JsonObject, type: string): JsonValue | undefined {
  return listAt(object, 'status', 'conditions').find((each) => textAt(each, 'type') === type);
}

const hosted = (instance: JsonObject) =>
  `${builtInClusterPath}/apis/storage.platform.sh/v1/namespaces/${textAt(instance, 'spec', 'clusterRef', 'namespace')}/virtualclusters/${textAt(instance, 'spec', 'clusterRef', 'virtualCluster')}`;

const bindings = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings';

describe('an instance', () => {
  it('becomes Ready, with matching conditions (completions §3)', async () => {
    await make('demo');
    const ready = await until('demo', isReady);
    for (const type of [
      'Scheduled',
      'TemplateResolved',
      'SpaceReady',
      'VirtualClusterDeployed',
      'VirtualClusterReady',
      'Ready',
    ]) {
      expect(condition(ready, type)).toMatchObject({ status: 'True', observedGeneration: 1 });
    }
    const host = await ask(hosted(ready));
    expect(textAt(ready, 'status', 'serviceUID')).toBe(textAt(host.json, 'metadata', 'uid'));
    expect(textAt(ready, 'status', 'kubernetesVersion')).toMatch(/^v1\./);
    const binding = await ask(
      `${hosted(ready)}/proxy/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/platform:role:cluster-admin`,
    );
    expect(binding.json).toMatchObject({ roleRef: { name: 'cluster-admin' } });
  });

  it('is deleted after its virtual cluster and its host namespace are removed', async () => {
    await make('demo');
    const ready = await until('demo', isReady);
    const deleted = await ask(`${instances}/demo`, { method: 'DELETE' });
    expect(deleted.json).toMatchObject({ metadata: { finalizers: ['platform.sh/cleanup'] } });
    await until('demo', isGone);
    expect((await ask(hosted(ready))).code).toBe(404);
    const namespace = textAt(ready, 'spec', 'clusterRef', 'namespace');
    expect((await ask(`${builtInClusterPath}/api/v1/namespaces/${namespace}`)).code).toBe(404);
  });
});

describe('a template', () => {
  const template = (name: string, spec: JsonObject) =>
    bench.createObject(server, 'virtualclustertemplates', name, spec);
  const inside = async (instance: JsonObject, path: string) => (await ask(`${hosted(instance)}/proxy${path}`)).json;
  const map = (name: string, text: string) =>
    `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n  namespace: apps\ndata:\n  text: ${text}\n`;

  it('has its objects applied inside, namespaces and CRDs first (completions §7)', async () => {
    const definition = [
      'apiVersion: apiextensions.k8s.io/v1',
      'kind: CustomResourceDefinition',
      'metadata: {name: toys.example.com}',
      'spec:',
      '  group: example.com',
      '  scope: Namespaced',
      '  names: {plural: toys, singular: toy, kind: Toy, listKind: ToyList}',
      '  versions:',
      '    - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}',
    ].join('\n');
    const toy = 'apiVersion: example.com/v1\nkind: Toy\nmetadata: {name: ball, namespace: apps}';
    const namespace = 'apiVersion: v1\nkind: Namespace\nmetadata: {name: apps}';
    await template('whole', {
      parameters: [{ variable: 'word', defaultValue: 'none' }],
      template: {
        objects: [toy, map('greeting', '{{ .Values.word }}'), definition, namespace].join('\n---\n'),
        access: { defaultClusterRole: 'view', rules: [{ users: ['admin'], clusterRole: 'edit' }] },
      },
    });
    await make('demo', { templateRef: { name: 'whole' }, parameters: 'word: hello' });
    const ready = await until('demo', isReady);
    const found = await inside(ready, '/api/v1/namespaces/apps/configmaps/greeting');
    expect(found).toMatchObject({ data: { text: 'hello' } });
    expect(await inside(ready, '/apis/example.com/v1/namespaces/apps/toys/ball')).toMatchObject({ kind: 'Toy' });
    const { items } = await inside(ready, '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings');
    const bindings = (items as JsonObject[]).map((item) => textAt(item, 'metadata', 'name'));
    expect(bindings.filter((name) => name.startsWith('platform:'))).toEqual([
      // Every virtual cluster has this role binding for a group, but here the gateway puts no caller into this group.
      'platform:role:cluster-admin',
      'platform:role:edit',
      'platform:role:view',
    ]);
  });

  it('adds its labels and annotations to instance, virtual cluster and namespace, and its objects to the namespace', async () => {
    const secret = map('in-space', 'here').replace('  namespace: apps\n', '');
    await template('dressed', {
      template: {
        metadata: { labels: { of: '{{ .Values.platform.name }}' } },
        instanceTemplate: {
          metadata: {
            labels: { made: 'here', kept: 'theirs' },
            annotations: { 'platform.sh/abandon': 'no', note: 'x' },
          },
        },
        spaceTemplate: { metadata: { annotations: { space: 'yes' } }, objects: secret },
      },
    });
    const body = { metadata: { name: 'demo', labels: { kept: 'mine' } }, spec: { templateRef: { name: 'dressed' } } };
    expect((await ask(instances, { method: 'POST', body })).code).toBe(201);
    const ready = await until('demo', isReady);
    expect(ready.metadata).toMatchObject({ labels: { made: 'here', kept: 'mine' }, annotations: { note: 'x' } });
    expect(textAt(ready, 'metadata', 'annotations', 'platform.sh/abandon')).toBe('');
    expect((await ask(hosted(ready))).json.metadata).toMatchObject({ labels: { of: 'demo' } });
    const space = `${builtInClusterPath}/api/v1/namespaces/${textAt(ready, 'spec', 'clusterRef', 'namespace')}`;
    expect((await ask(space)).json.metadata).toMatchObject({ annotations: { space: 'yes' } });
    expect((await ask(`${space}/configmaps/in-space`)).json).toMatchObject({ data: { text: 'here' } });
    // A label that a user removes stays removed.
    await ask(`${instances}/demo`, mergePatch({ metadata: { labels: { made: null } }, spec: { displayName: 'Demo' } }));
    const renamed = await until('demo', isReconciled);
    expect(renamed.metadata).not.toHaveProperty('labels.made');
  });

  it('cannot create virtual clusters on the built-in cluster that no quota counts', async () => {
    const objects = 'apiVersion: storage.platform.sh/v1\nkind: VirtualCluster\nmetadata: {name: extra}';
    await template('greedy', { template: { spaceTemplate: { objects } } });
    const body = { metadata: { name: 'greedy' }, spec: { templateRef: { name: 'greedy' } } };
    expect((await ask(instances, { method: 'POST', body })).code).toBe(201);
    const failed = await until('greedy', (object) => textAt(object, 'status', 'reason') === 'ObjectsNotApplied');
    expect(textAt(failed, 'status', 'message')).toContain(
      'may not apply virtualclusters.storage.platform.sh on a host',
    );
    const extra = hosted(failed).replace(/[^/]+$/, 'extra');
    expect((await ask(extra)).code).toBe(404);
  });

  it('is applied again when it changes, unless syncOnce is set; its deletion changes nothing', async () => {
    const objects = (text: string) => ({
      template: { objects: `apiVersion: v1\nkind: Namespace\nmetadata: {name: apps}\n---\n${map('state', text)}` },
    });
    await template('changing', objects('one'));
    await make('follows', { templateRef: { name: 'changing' } });
    await make('stays', { templateRef: { name: 'changing', syncOnce: true } });
    await until('follows', isReady);
    await until('stays', isReady);
    const path = `${groupPath}/virtualclustertemplates/changing`;
    expect((await ask(path, mergePatch({ spec: objects('two') }))).code).toBe(200);
    const changed = await until('follows', (object) =>
      textAt(object, 'status', 'virtualCluster', 'objects').includes('two'),
    );
    const state = '/api/v1/namespaces/apps/configmaps/state';
    expect(await inside(changed, state)).toMatchObject({ data: { text: 'two' } });
    expect((await ask(path, { method: 'DELETE' })).code).toBe(200);
    const without = await until(
      'follows',
      (object) => textAt(condition(object ?? {}, 'TemplateResolved'), 'status') === 'False',
    );
    expect(condition(without, 'TemplateResolved')).toMatchObject({
      reason: 'TemplateNotFound',
      message: expect.stringContaining('stays in effect'),
    });
    expect(isReady(without)).toBe(true);
    const stays = (await ask(`${instances}/stays`)).json;
    expect(condition(stays, 'TemplateResolved')).toMatchObject({ status: 'True', reason: 'SyncedOnce' });
    expect(await inside(stays, state)).toMatchObject({ data: { text: 'one' } });
  });

  it('with invalid objects is reported with the cause, and applied when it is corrected', async () => {
    const broken = { template: { objects: 'apiVersion: nowhere.io/v1\nkind: Thing\nmetadata: {name: a}' } };
    await template('broken', broken);
    await make('demo', { templateRef: { name: 'broken' } });
    const failed = await until('demo', inPhase('Failed'));
    expect(failed.status).toMatchObject({
      reason: 'ObjectsNotApplied',
      message: expect.stringContaining('Thing "a": no matches for kind "Thing" in version "nowhere.io/v1"'),
    });
    const path = `${groupPath}/virtualclustertemplates/broken`;
    await ask(path, mergePatch({ spec: { template: { objects: null } } }));
    await until('demo', isReady);
  });
});

describe('the sleep of an instance', () => {
  const force = 'sleepmode.platform.sh/force';

  it('is forced by an annotation and ends with its removal, without data loss (completions §3)', async () => {
    await make('demo');
    const ready = await until('demo', isReady);
    const annotate = (value: string | null) =>
      ask(`${instances}/demo`, mergePatch({ metadata: { annotations: { [force]: value } } }));
    await annotate('true');
    const asleep = await until('demo', inPhase('Sleeping'));
    expect(condition(asleep, 'Ready')).toMatchObject({ status: 'False', message: expect.stringContaining(force) });
    expect((await ask(`${hosted(ready)}/proxy/api/v1/namespaces`)).code).toBe(503);
    await annotate(null);
    const awake = await until('demo', isReady);
    expect(textAt(awake, 'status', 'serviceUID')).toBe(textAt(ready, 'status', 'serviceUID'));
  });
});

describe('an unused instance', () => {
  const idleFor = (what: string) => ({ [`sleepmode.platform.sh/${what}-after`]: '60' });
  let clock: ManualClock;
  beforeEach(async () => {
    await bench.stop(server);
    clock = new ManualClock(Date.now());
    server = await bench.start({}, clock);
  });

  it('sleeps exactly after the configured period, also across a restart (completions §3)', async () => {
    await make('demo', {}, idleFor('sleep'));
    const ready = await until('demo', isReady);
    expect(textAt(ready, 'status', 'lastActivity')).not.toBe('');
    await bench.stop(server);
    server = await bench.start({}, clock);
    clock.advance(58_000);
    await make('other');
    await until('other', isReady);
    expect(isReady((await ask(`${instances}/demo`)).json)).toBe(true);
    clock.advance(3_000);
    const asleep = await until('demo', inPhase('Sleeping'));
    expect(asleep.status).toMatchObject({
      reason: 'NotUsed',
      message: expect.stringContaining('next request wakes it'),
    });
    const used = await ask('/kubernetes/project/default/virtualcluster/demo/api/v1/namespaces');
    expect(used.code, used.text).toBe(200);
    const awake = await until('demo', isReady);
    expect(Date.parse(textAt(awake, 'status', 'lastActivity'))).toBeGreaterThan(clock.now() - 2_000);
  });

  it('is deleted after the configured period, unless an annotation protects it', async () => {
    await make('goes', {}, idleFor('delete'));
    await make('stays', {}, { ...idleFor('delete'), 'platform.sh/non-deletable': 'true' });
    await until('goes', isReady);
    await until('stays', isReady);
    clock.advance(61_000);
    await until('goes', isGone);
    expect((await ask(`${instances}/stays`)).json.metadata).not.toHaveProperty('deletionTimestamp');
  });
});

describe('releasing an instance', () => {
  it('by abandoning it requires an admin and a reason, and leaves the objects on the host', async () => {
    await bench.createObject(server, 'users', 'anna');
    const token = await bench.createKey(server, 'annas', { user: 'anna' });
    await make('demo', { owner: { user: 'anna' } });
    const ready = await until('demo', isReady);
    const abandon = mergePatch({ metadata: { annotations: { 'platform.sh/abandon': 'the host burnt down' } } });
    expect((await ask(`${instances}/demo`, { ...abandon, token })).code).toBe(403);
    expect((await ask(`${instances}/demo`, abandon)).code).toBe(200);
    expect((await ask(`${instances}/demo`, { method: 'DELETE' })).code).toBe(200);
    await until('demo', isGone);
    expect((await ask(hosted(ready))).code).toBe(200);
    expect(await bench.read('audit.log')).toContain('the host burnt down');
  });

  it('that is external leaves the virtual cluster running', async () => {
    const extraAccessRules = [{ users: ['anna'], clusterRole: 'view' }];
    const clusterRef = { namespace: 'default', virtualCluster: 'byhand' };
    await make('demo', { external: true, clusterRef, extraAccessRules });
    await until('demo', inPhase('Failed'));
    const path = `${builtInClusterPath}/apis/storage.platform.sh/v1/namespaces/default/virtualclusters`;
    const made = await ask(path, { method: 'POST', body: { metadata: { name: 'byhand' } } });
    expect(made.code, made.text).toBe(201);
    const ready = await until('demo', isReady);
    expect(condition(ready, 'VirtualClusterDeployed')).toMatchObject({ reason: 'External' });
    const binding = `${path}/byhand/proxy${bindings}/platform:role:view`;
    expect((await ask(binding)).code).toBe(200);
    await ask(`${instances}/demo`, { method: 'DELETE' });
    await until('demo', isGone);
    expect((await ask(`${path}/byhand`)).code).toBe(200);
    // The role bindings of the instance's users are removed.
    expect((await ask(binding)).code).toBe(404);
  });

  it('never removes a foreign virtual cluster at its location', async () => {
    const path = `${builtInClusterPath}/apis/storage.platform.sh/v1/namespaces/default/virtualclusters`;
    await ask(path, { method: 'POST', body: { metadata: { name: 'taken' } } });
    await make('demo', { clusterRef: { namespace: 'default', virtualCluster: 'taken' } });
    const failed = await until('demo', inPhase('Failed'));
    expect(condition(failed, 'SpaceReady')).toMatchObject({ status: 'False', reason: 'PlaceTaken' });
    await ask(`${instances}/demo`, { method: 'DELETE' });
    await until('demo', isGone);
    expect((await ask(`${path}/taken`)).code).toBe(200);
  });
});

describe('a role binding inside a virtual cluster', () => {
  it('is restored on the next use after its deletion (completions §8)', async () => {
    await make('demo', { extraAccessRules: [{ users: ['anna'], clusterRole: 'view' }] });
    const ready = await until('demo', isReady);
    const places = ['view', 'cluster-admin'].map((role) => `${hosted(ready)}/proxy${bindings}/platform:role:${role}`);
    for (const place of places) expect((await ask(place, { method: 'DELETE' })).code).toBe(200);
    // Restarts the server, because a running server checks each instance only once a minute. After its start, a server
    // checks all instances at once.
    await bench.stop(server);
    server = await bench.start();
    expect((await ask('/kubernetes/project/default/virtualcluster/demo/version')).code).toBe(200);
    for (const place of places) {
      let found = await ask(place);
      for (let turn = 0; turn < 500 && found.code === 404; turn += 1) found = await ask(place);
      expect(found.code).toBe(200);
    }
  });
});

describe('after a restart', () => {
  it('a template that takes too much work is a condition again, and other instances become Ready', async () => {
    const objects = '{{ $a := list "x" }}{{ range 23 }}{{ $a = list $a $a }}{{ end }}{{ toYaml $a | len }}';
    await make('bomb', { template: { objects } });
    const isReported = (object: JsonObject | undefined) =>
      object !== undefined && textAt(condition(object, 'TemplateResolved') ?? null, 'status') === 'False';
    const expected = {
      reason: 'CannotBeRendered',
      message: expect.stringMatching(/objects: line 1, column \d+: the template takes more than \d+ units of work/),
    };
    expect(condition(await until('bomb', isReported), 'TemplateResolved')).toMatchObject(expected);
    await bench.stop(server);
    server = await bench.start();
    await make('demo');
    await until('demo', isReady);
    expect(condition(await until('bomb', isReported), 'TemplateResolved')).toMatchObject(expected);
  });

  it('changes that were requested meanwhile are applied', async () => {
    await make('kept');
    await make('removed');
    const before = await until('kept', isReady);
    await ask(`${instances}/removed`, { method: 'DELETE' });
    await bench.stop(server);
    server = await bench.start();
    await until('removed', isGone);
    const after = await until('kept', isReady);
    expect(textAt(after, 'status', 'serviceUID')).toBe(textAt(before, 'status', 'serviceUID'));
    expect(textAt(after, 'metadata', 'resourceVersion')).toBe(textAt(before, 'metadata', 'resourceVersion'));
  });
});

it('the controller records a Kubernetes Event for every step', async () => {
  await make('demo');
  await until('demo', isReady);
  await ask(`${instances}/demo`, { method: 'DELETE' });
  await until('demo', isGone);
  const events = `/kubernetes/management/api/v1/namespaces/platform-p-default/events`;
  const reasons = async () => {
    const items = listAt((await ask(events)).json, 'items');
    return items
      .filter((item) => textAt(item, 'involvedObject', 'name') === 'demo')
      .map((item) => textAt(item, 'reason'));
  };
  // Events are written asynchronously.
  let told = await reasons();
  for (let turn = 0; turn < 200 && !told.includes('Removed'); turn += 1) told = await reasons();
  expect(told.sort()).toEqual(['Installed', 'Ready', 'Removed', 'Removing']);
});
