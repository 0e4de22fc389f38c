import { type JsonObject, type JsonValue, listAt, textAt, valueAt } from '@flotilla/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { instancesOf, isGone, isReconciled, waitForInstance } from '../../src/server/instances.fixture.ts';
import { type ParsedResponse, type RequestOptions, ServerTestEnv } from '../../src/server/server.fixture.ts';
import type { RunningServer } from '../../src/server/start-server.ts';

const instances = instancesOf('default');
const path = `${instances}/shop`;
const manifest: JsonObject = {
  apiVersion: 'management.platform.sh/v1',
  kind: 'VirtualClusterInstance',
  metadata: { name: 'shop', namespace: 'platform-p-default' },
  spec: { displayName: 'Shop' },
};

/**
 * The requests of the kind Object of crossplane-contrib/provider-kubernetes 1.4.1, in the order of its source: observe
 * (get and dry run), create, update, reference finalizer, migration of field managers, delete.
 */
describe('an Object of Crossplane', () => {
  let bench: ServerTestEnv;
  let server: RunningServer;
  beforeAll(async () => {
    bench = await ServerTestEnv.open();
    server = await bench.start();
  });
  afterAll(() => bench.close());

  const owner = 'provider-kubernetes/shop';
  const ask = (to: string, call: RequestOptions = {}): Promise<ParsedResponse> => bench.send(server, to, call);
  const apply = (body: JsonObject, query = '') =>
    ask(`${path}?fieldManager=${encodeURIComponent(owner)}&force=true${query}`, {
      method: 'PATCH',
      type: 'application/apply-patch+yaml',
      body,
    });
  const reconciled = () => waitForInstance(bench, server, { name: 'shop' }, isReconciled);
  /** The fields that the provider owns. The provider compares these fields in the dry run and in the live object. */
  const ownedFields = (object: JsonValue) =>
    listAt(object, 'metadata', 'managedFields')
      .filter((entry) => textAt(entry, 'manager') === owner)
      .map((entry) => valueAt(entry, 'fieldsV1'));

  it('reads the schema of the kind from OpenAPI v3', async () => {
    const root = '/kubernetes/management';
    const index = await ask(`${root}/openapi/v3`);
    const url = textAt(index.json, 'paths', 'apis/management.platform.sh/v1', 'serverRelativeURL');
    const document = await ask(url.startsWith(root) ? url : `${root}${url}`);
    expect(document.code).toBe(200);
    expect(document.text).toContain('VirtualClusterInstance');
  });

  it('is created after a dry run, and a second observation finds no difference', async () => {
    expect((await ask(path)).code).toBe(404);
    const planned = await apply(manifest, '&dryRun=All');
    expect(planned.code, planned.text).toBe(201);
    expect((await ask(path)).code).toBe(404);
    expect((await apply(manifest)).code).toBe(201);
    const live = await reconciled();
    const again = await apply(manifest, '&dryRun=All');
    expect([again.code, ownedFields(again.json)]).toEqual([200, ownedFields(live)]);
    expect(again.json.spec).toEqual(live.spec);
  });

  it('detects and reverts a change by another client', async () => {
    const change = { spec: { displayName: 'Other' } };
    await ask(path, { method: 'PATCH', type: 'application/merge-patch+json', body: change });
    const desired = await apply(manifest, '&dryRun=All');
    expect(desired.json.spec).not.toEqual((await ask(path)).json.spec);
    expect((await apply(manifest)).json).toMatchObject({ metadata: { generation: 3 }, spec: { displayName: 'Shop' } });
    await reconciled();
  });

  it('adds a finalizer to an object that it refers to by PUT, and removes it', async () => {
    const finalizer = 'kubernetes.crossplane.io/referred-by-object-4f1c6b8e-2d5a-4b7e-9a63-0c1f5d2e7b90';
    const live = await reconciled();
    const metadata = live.metadata as JsonObject;
    const finalizers = listAt(live, 'metadata', 'finalizers');
    const put = (object: JsonObject, kept: readonly JsonValue[]) =>
      ask(path, {
        method: 'PUT',
        body: { ...object, metadata: { ...(object.metadata as JsonObject), finalizers: [...kept] } },
      });
    const added = await put(live, [...finalizers, finalizer]);
    expect([added.code, listAt(added.json, 'metadata', 'finalizers')]).toEqual([200, [...finalizers, finalizer]]);
    expect(valueAt(added.json, 'metadata', 'generation')).toBe(metadata.generation);
    const removed = await put(added.json, finalizers);
    expect(listAt(removed.json, 'metadata', 'finalizers')).toEqual(finalizers);
  });

  it('moves the fields of an older field manager to its own, by a JSON patch with the version of the object', async () => {
    const label = { metadata: { labels: { team: 'web' } } };
    const older = { method: 'PATCH', type: 'application/merge-patch+json', body: label } as const;
    const live = (await ask(`${path}?fieldManager=older`, older)).json;
    const entries = listAt(live, 'metadata', 'managedFields') as readonly JsonObject[];
    const migrated = entries.filter(({ manager }) => manager !== 'older');
    const version = textAt(live, 'metadata', 'resourceVersion');
    const operations = (resourceVersion: string) => [
      { op: 'replace', path: '/metadata/managedFields', value: migrated as JsonValue },
      { op: 'replace', path: '/metadata/resourceVersion', value: resourceVersion },
    ];
    const patch = (resourceVersion: string) =>
      ask(path, { method: 'PATCH', type: 'application/json-patch+json', body: operations(resourceVersion) });
    expect((await patch('1')).code).toBe(409);
    const done = await patch(version);
    expect(done.code, done.text).toBe(200);
    expect(listAt(done.json, 'metadata', 'managedFields').map((entry) => textAt(entry, 'manager'))).not.toContain(
      'older',
    );
    expect(ownedFields(done.json)).toEqual(ownedFields(live));
  });

  it('is deleted with its propagation policy, and a second delete finds nothing', async () => {
    const body = { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Background' };
    expect((await ask(path, { method: 'DELETE', body })).code).toBe(200);
    await waitForInstance(bench, server, { name: 'shop' }, isGone);
    expect((await ask(path, { method: 'DELETE', body })).code).toBe(404);
  });
});
