import { type JsonObject, type JsonValue, listAt, objectAt, textAt, valueAt } from '@flotilla/json';
import { dump } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readLines } from '../../src/lib/read-lines.ts';
import { gatewayPath } from '../../src/server/gateway.fixture.ts';
import { inPhase, instancesOf, waitForInstance } from '../../src/server/instances.fixture.ts';
import { groupPath, mergePatch, type RequestOptions, ServerTestEnv } from '../../src/server/server.fixture.ts';
import type { RunningServer } from '../../src/server/start-server.ts';

const management = '/kubernetes/management';
const inside = gatewayPath('inside');
const project = 'platform-p-default';

/** An object that a Pulumi program contains, and the field that the program, or another client, changes later. */
interface ManagedObject {
  readonly title: string;
  /** The path of the API. */
  readonly api: string;
  readonly collection: string;
  readonly manifest: JsonObject;
  /** The top-level member that contains the field: `data` or `spec`. */
  readonly part: string;
  readonly field: string;
  readonly values: readonly [first: JsonValue, second: JsonValue, third: JsonValue, byAnotherClient: JsonValue];
}

const displayNames = { part: 'spec', field: 'displayName', values: ['One', 'Two', 'Three', 'Other'] } as const;

const managedObjects: readonly ManagedObject[] = [
  {
    title: 'a VirtualClusterInstance',
    api: management,
    collection: instancesOf('default'),
    manifest: {
      apiVersion: 'management.platform.sh/v1',
      kind: 'VirtualClusterInstance',
      metadata: { name: 'shop', namespace: project, annotations: { 'pulumi.com/waitFor': 'condition=Ready' } },
      spec: {},
    },
    ...displayNames,
  },
  {
    title: 'an OwnedAccessKey',
    api: management,
    collection: `${groupPath}/ownedaccesskeys`,
    manifest: {
      apiVersion: 'management.platform.sh/v1',
      kind: 'OwnedAccessKey',
      metadata: { name: 'deploy' },
      spec: {},
    },
    ...displayNames,
  },
  {
    title: 'a Deployment in a virtual cluster',
    api: inside,
    collection: `${inside}/apis/apps/v1/namespaces/default/deployments`,
    manifest: {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web', namespace: 'default', annotations: { 'pulumi.com/skipAwait': 'true' } },
      spec: {
        selector: { matchLabels: { app: 'web' } },
        template: {
          metadata: { labels: { app: 'web' } },
          spec: { containers: [{ name: 'web', image: 'nginx', ports: [{ containerPort: 80 }] }] },
        },
      },
    },
    part: 'spec',
    field: 'replicas',
    values: [1, 2, 3, 9],
  },
  {
    title: 'a ConfigMap in a virtual cluster',
    api: inside,
    collection: `${inside}/api/v1/namespaces/default/configmaps`,
    manifest: {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'settings', namespace: 'default' },
      data: {},
    },
    part: 'data',
    field: 'color',
    values: ['blue', 'green', 'red', 'grey'],
  },
];

/**
 * The field manager with which the provider creates objects. An update is applied with a separate field manager per
 * resource.
 */
const creator = 'pulumi-kubernetes';
const owner = 'pulumi-kubernetes-5c2f9e1a';

/**
 * The requests of Pulumi's Kubernetes provider 4.32 with server-side apply, its default, in the order of its source:
 * configure, preview and create, wait, refresh, preview and update, import, delete.
 */
describe('the requests of Pulumi', () => {
  let bench: ServerTestEnv;
  let server: RunningServer;
  beforeAll(async () => {
    bench = await ServerTestEnv.open();
    server = await bench.start();
    const body = { metadata: { name: 'inside' } };
    expect((await ask(instancesOf('default'), { method: 'POST', body })).code).toBe(201);
    await waitForInstance(bench, server, { name: 'inside' }, inPhase('Ready'));
  });
  afterAll(() => bench.close());

  const ask = (path: string, call: RequestOptions = {}) => bench.send(server, path, call);

  /**
   * Watches a collection as an informer of client-go does, from its first objects on. Returns the first event for which
   * the predicate is true.
   */
  async function watchUntil(collection: string, has: (type: string, object: JsonObject) => boolean) {
    const list = 'allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&sendInitialEvents=true';
    const { body } = await bench.request(server, `${collection}?${list}&timeoutSeconds=20&watch=true`);
    for await (const line of readLines(body)) {
      const { type, object } = JSON.parse(line) as { type: string; object: JsonObject };
      if (has(type, object)) return object;
    }
    throw new Error(`the watch of ${collection} ended without a match`);
  }
  const endsInitialEvents = (type: string, object: JsonObject) =>
    type === 'BOOKMARK' && valueAt(object, 'metadata', 'annotations', 'k8s.io/initial-events-end') === 'true';

  describe.each([
    { title: 'the management API', api: management, kind: 'VirtualClusterInstance' },
    { title: 'a virtual cluster', api: inside, kind: 'Deployment' },
  ])('to $title', ({ api, kind }) => {
    it('read the version and the aggregated discovery documents', async () => {
      const { json: version } = await ask(`${api}/version`);
      expect([Number(version.major), Number(version.minor)]).toEqual([1, expect.any(Number)]);
      expect(Number(version.minor)).toBeGreaterThanOrEqual(13);
      const aggregated = (v: string) => `application/json;g=apidiscovery.k8s.io;v=${v};as=APIGroupDiscoveryList`;
      const accept = `${aggregated('v2')},${aggregated('v2beta1')},application/json`;
      const kinds: string[] = [];
      for (const path of ['/api', '/apis']) {
        const { body } = await bench.request(server, `${api}${path}`, {}, { accept });
        for (const group of listAt((await body.json()) as JsonObject, 'items')) {
          const resources = listAt(group, 'versions').flatMap((version) => listAt(version, 'resources'));
          kinds.push(...resources.map((resource) => textAt(resource, 'responseKind', 'kind')));
        }
      }
      expect(kinds).toEqual(expect.arrayContaining([kind, 'ConfigMap', 'Secret']));
    });

    it('read the schemas of all kinds from OpenAPI v2 as protobuf', async () => {
      const accept = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
      const { statusCode, headers, body } = await bench.request(server, `${api}/openapi/v2`, {}, { accept });
      expect([statusCode, headers['content-type']]).toEqual([
        200,
        'application/com.github.proto-openapi.spec.v2.v1.0+protobuf',
      ]);
      expect(Buffer.from(await body.arrayBuffer()).includes(`.${kind}`)).toBe(true);
    });
  });

  it('watch Events, and what belongs to a Deployment', async () => {
    const namespace = `${inside}/api/v1/namespaces/default`;
    const apps = `${inside}/apis/apps/v1/namespaces/default`;
    for (const collection of [
      ...['events', 'pods', 'persistentvolumeclaims'].map((plural) => `${namespace}/${plural}`),
      ...['deployments', 'replicasets'].map((plural) => `${apps}/${plural}`),
    ]) {
      await watchUntil(collection, endsInitialEvents);
      expect((await ask(collection)).code).toBe(200);
    }
  });

  describe.each(managedObjects)('for $title', ({ collection, manifest, part, field, values }) => {
    const name = textAt(manifest, 'metadata', 'name');
    const path = `${collection}/${name}`;
    const [first, second, third, byAnotherClient] = values;
    const get = async () => (await ask(path)).json;
    const withValue = (value: JsonValue): JsonObject => ({
      ...manifest,
      [part]: { ...objectAt(manifest, part), [field]: value },
    });
    const valueIn = (object: JsonObject) => valueAt(object, part, field);
    const create = (value: JsonValue, query = '') =>
      ask(`${collection}?fieldManager=${creator}${query}`, { method: 'POST', body: withValue(value) });
    const apply = (value: JsonValue, force: boolean, query = '') =>
      ask(`${path}?${query}fieldManager=${owner}&force=${force}`, {
        method: 'PATCH',
        type: 'application/apply-patch+yaml',
        raw: dump(withValue(value)),
      });
    const patchJson = (operations: JsonValue) =>
      ask(path, { method: 'PATCH', type: 'application/json-patch+json', raw: JSON.stringify(operations) });
    const managersOf = (object: JsonObject) =>
      listAt(object, 'metadata', 'managedFields')
        .filter((entry) => textAt(entry, 'subresource') === '')
        .map((entry) => `${textAt(entry, 'operation')} by ${textAt(entry, 'manager')}`);

    /** Waits as the program demands: for the condition Ready of this generation, or for the object alone. */
    const waited = () =>
      watchUntil(collection, (type, object) => {
        if (type === 'BOOKMARK' || textAt(object, 'metadata', 'name') !== name) return false;
        if (valueAt(manifest, 'metadata', 'annotations', 'pulumi.com/waitFor') === undefined) return true;
        const ready = listAt(object, 'status', 'conditions').find((one) => textAt(one, 'type') === 'Ready');
        const isObserved =
          valueAt(object, 'status', 'observedGeneration') === valueAt(object, 'metadata', 'generation');
        return isObserved && textAt(ready, 'status') === 'True';
      });

    it('preview the creation, create it once, and wait for it', async () => {
      const planned = await create(first, '&dryRun=All');
      expect([planned.code, valueIn(planned.json)], planned.text).toEqual([201, first]);
      expect((await ask(path)).code).toBe(404);
      const created = await create(first);
      expect([created.code, valueIn(created.json)], created.text).toEqual([201, first]);
      const live = await waited();
      expect(valueIn(live)).toEqual(first);
      expect(managersOf(live)).toEqual([`Update by ${creator}`]);
      const again = await create(first);
      expect([again.code, again.json.reason]).toEqual([409, 'AlreadyExists']);
    });

    it('refresh it and find no difference, also in a list with its name', async () => {
      const live = await get();
      expect(live).toEqual(await get());
      const { json } = await ask(`${collection}?fieldSelector=metadata.name%3D${name}&limit=500`);
      expect(listAt(json, 'items').map((item) => [textAt(item, 'metadata', 'name'), valueAt(item, part)])).toEqual([
        [name, live[part]],
      ]);
    });

    it('preview a change by an apply with force, which changes nothing', async () => {
      const live = await get();
      const planned = await apply(second, true, 'dryRun=All&');
      expect([planned.code, valueIn(planned.json)], planned.text).toEqual([200, second]);
      expect(await get()).toEqual(live);
    });

    it('turn the fields of the creation into applied fields, then apply the change without force', async () => {
      const live = await get();
      const entries = listAt(live, 'metadata', 'managedFields').map((entry) =>
        textAt(entry, 'manager') === creator ? { ...(entry as JsonObject), manager: owner, operation: 'Apply' } : entry,
      );
      const moved = await patchJson([{ op: 'replace', path: '/metadata/managedFields', value: entries }]);
      expect([moved.code, managersOf(moved.json)], moved.text).toEqual([200, [`Apply by ${owner}`]]);
      const applied = await apply(second, false);
      expect([applied.code, valueIn(applied.json)], applied.text).toEqual([200, second]);
      expect(managersOf(applied.json)).toEqual([`Apply by ${owner}`]);
      await waited();
    });

    it('send the JSON patch null before a later change if no fields have to be moved', async () => {
      const live = await get();
      const patched = await patchJson(null);
      expect([patched.code, patched.json], patched.text).toEqual([200, live]);
      expect(valueIn((await apply(third, false)).json)).toEqual(third);
      await waited();
    });

    it('get a conflict after a change by another client, and take the field back with force', async () => {
      await ask(`${path}?fieldManager=other`, mergePatch({ [part]: { [field]: byAnotherClient } }));
      await waited();
      const refused = await apply(third, false);
      expect([refused.code, refused.json.reason]).toEqual([409, 'Conflict']);
      expect(refused.text).toContain('conflict with \\"other\\"');
      expect(valueIn(await get())).toEqual(byAnotherClient);
      const forced = await apply(third, true);
      expect([forced.code, valueIn(forced.json)]).toEqual([200, third]);
      await waited();
    });

    it('delete it with its dependents and wait until it is gone', async () => {
      const body = { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Foreground' };
      const deleted = await ask(path, { method: 'DELETE', body });
      expect(deleted.code, deleted.text).toBe(200);
      let isListed = false;
      await watchUntil(collection, (type, object) => {
        if (textAt(object, 'metadata', 'name') === name) isListed = type !== 'DELETED';
        return !isListed && (type === 'DELETED' || endsInitialEvents(type, object));
      });
      expect((await ask(path)).code).toBe(404);
      expect((await ask(path, { method: 'DELETE', body })).code).toBe(404);
    });

    it('take over fields of an existing object by an apply with force, and give them up by an empty one', async () => {
      const existing = await ask(`${collection}?fieldManager=other`, { method: 'POST', body: withValue(first) });
      expect(existing.code, existing.text).toBe(201);
      await waited();
      const planned = await apply(second, true, 'dryRun=All&fieldValidation=Warn&');
      expect([planned.code, valueIn(planned.json)], planned.text).toEqual([200, second]);
      expect((await apply(second, false, 'fieldValidation=Warn&')).code).toBe(409);
      const forced = await apply(second, true, 'fieldValidation=Warn&');
      expect([forced.code, valueIn(forced.json)], forced.text).toEqual([200, second]);
      expect(managersOf(forced.json)).toContain(`Apply by ${owner}`);
      await waited();
      const { apiVersion = '', kind = '', metadata } = manifest;
      const identity = { apiVersion, kind, metadata: { name, namespace: valueAt(metadata, 'namespace') ?? null } };
      const released = await ask(`${path}?fieldManager=${owner}`, {
        method: 'PATCH',
        type: 'application/apply-patch+yaml',
        raw: dump(identity),
      });
      expect([released.code, managersOf(released.json)], released.text).toEqual([200, ['Update by other']]);
    });
  });
});
