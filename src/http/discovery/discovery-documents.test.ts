import { describe, expect, it } from 'vitest';
import { StatusError } from '../../api/status.ts';
import { planeDocuments } from '../documents/plane-documents.ts';
import { versionInfo } from '../documents/version.ts';
import type { Exchange } from '../exchange.ts';
import { exampleExchange, examplePlane, exampleResources } from '../plane.fixture.ts';
import type { Reply } from '../reply.ts';
import { storageVersionHash } from './plain.ts';
import { compareVersions } from './served-groups.ts';

const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

function documentsOf(plane = examplePlane()) {
  const documents = planeDocuments(plane, { version: versionInfo({ packageVersion: '0.1.0' }), healthChecks: [] });
  const reply = async (exchange: Exchange): Promise<Reply> => {
    const answer = await documents.reply(exchange);
    if (answer === undefined) throw new Error(`nothing answered ${exchange.info.path}`);
    return answer;
  };
  return {
    reply,
    get: async (path: string, accept = 'application/json') =>
      JSON.parse(String((await reply(exampleExchange(path, { accept }))).body)),
    refusal: async (path: string, method = 'GET') => {
      const error = await documents.reply(exampleExchange(path, {}, method)).catch((thrown: unknown) => thrown);
      return error instanceof StatusError ? error.code : undefined;
    },
  };
}

describe('plain discovery', () => {
  it('/api lists the core versions (DISC-01)', async () => {
    expect(await documentsOf().get('/api')).toEqual({
      kind: 'APIVersions',
      versions: ['v1'],
      serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: 'fleet.test:8443' }],
    });
  });

  it('/api gets 404 if there are no core kinds (DISC-01)', async () => {
    const plane = examplePlane(exampleResources.filter(({ kind }) => kind.group !== ''));
    expect(await documentsOf(plane).refusal('/api')).toBe(404);
  });

  it('/apis lists groups with their versions, the stable one first and preferred (DISC-02, DISC-09)', async () => {
    const { kind, apiVersion, groups } = await documentsOf().get('/apis');
    expect({ kind, apiVersion }).toEqual({ kind: 'APIGroupList', apiVersion: 'v1' });
    expect(groups.map(({ name }: { name: string }) => name)).toEqual([
      'fleet.example.com',
      'events.k8s.io',
      'authorization.k8s.io',
    ]);
    expect(groups[0]).toEqual({
      name: 'fleet.example.com',
      versions: [
        { groupVersion: 'fleet.example.com/v1', version: 'v1' },
        { groupVersion: 'fleet.example.com/v1beta1', version: 'v1beta1' },
      ],
      preferredVersion: { groupVersion: 'fleet.example.com/v1', version: 'v1' },
    });
  });

  it('a group has its own path, also with a trailing slash, and an unknown one gets 404 (DISC-03, DISC-10)', async () => {
    const group = await documentsOf().get('/apis/fleet.example.com/');
    expect(group).toMatchObject({ kind: 'APIGroup', apiVersion: 'v1', name: 'fleet.example.com' });
    expect(await documentsOf().refusal('/apis/nobody.example.com')).toBe(404);
  });

  it('a version lists its kinds with the implemented verbs (DISC-04, DISC-05, DISC-06)', async () => {
    const list = await documentsOf().get('/apis/fleet.example.com/v1');
    expect(list).toMatchObject({ kind: 'APIResourceList', apiVersion: 'v1', groupVersion: 'fleet.example.com/v1' });
    expect(list.resources[0]).toEqual({
      name: 'ships',
      singularName: 'ship',
      namespaced: true,
      kind: 'Ship',
      verbs: ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'],
      shortNames: ['sh'],
      categories: ['all'],
      storageVersionHash: storageVersionHash({ group: 'fleet.example.com', version: 'v1', kind: 'Ship' }),
    });
    expect(list.resources.at(-1)).toMatchObject({ name: 'ports', verbs: ['get', 'list', 'patch', 'update'] });
    expect(await documentsOf().refusal('/apis/fleet.example.com/v7')).toBe(404);
    expect(await documentsOf().refusal('/api/v2')).toBe(404);
  });

  it('subresources follow their kind, without missing verbs (DISC-07)', async () => {
    const { resources } = await documentsOf().get('/apis/fleet.example.com/v1/');
    expect(resources.map(({ name }: { name: string }) => name)).toEqual([
      'ships',
      'ships/status',
      'ships/manifest',
      'ports',
    ]);
    expect(resources[1]).toEqual({
      name: 'ships/status',
      singularName: '',
      namespaced: true,
      kind: 'Ship',
      verbs: ['get', 'patch', 'update'],
    });
    expect(resources[2]).toMatchObject({ kind: 'ShipManifest', verbs: ['create'] });
  });

  it('the storage version hash is that of kube-apiserver (DISC-08)', async () => {
    expect(storageVersionHash({ group: '', version: 'v1', kind: 'Namespace' })).toBe('Q3oi5N2YM8M=');
    expect(storageVersionHash({ group: '', version: 'v1', kind: 'Event' })).toBe('r2yiGXH7wu8=');
    const { resources } = await documentsOf().get('/apis/authorization.k8s.io/v1');
    expect(resources[0]).not.toHaveProperty('storageVersionHash');
  });

  it('versions are ranked by stability, then number, then name (DISC-09)', () => {
    const versions = ['foo1', 'v1alpha2', 'v10', 'v1beta1', 'v2', 'v11beta2', 'v11alpha1', 'foo10', 'v1', 'v3beta1'];
    expect(versions.sort(compareVersions)).toEqual([
      'v10',
      'v2',
      'v1',
      'v11beta2',
      'v3beta1',
      'v1beta1',
      'v11alpha1',
      'v1alpha2',
      'foo1',
      'foo10',
    ]);
  });

  it('the documents are recreated only when the kinds change (DISC-20)', async () => {
    let resources = exampleResources.slice(0, 1);
    const plane = { ...examplePlane(), resources: () => resources };
    const documents = documentsOf(plane);
    expect((await documents.get('/apis')).groups).toHaveLength(0);
    resources = [...exampleResources];
    expect((await documents.get('/apis')).groups).toHaveLength(0);
    plane.generation += 1;
    expect((await documents.get('/apis')).groups).toHaveLength(3);
  });
});

describe('aggregated discovery', () => {
  it('the content type names the form (DISC-11, DISC-12)', async () => {
    const { reply } = documentsOf();
    const whole = await reply(exampleExchange('/apis', { accept: `${aggregated},application/json` }));
    expect(whole.headers['content-type']).toBe(aggregated);
    const plain = await reply(exampleExchange('/apis', { accept: `application/json,${aggregated};q=0.5` }));
    expect(plain.headers['content-type']).toBe('application/json');
    const older = await reply(
      exampleExchange('/apis', { accept: `${aggregated.replace('v2', 'v2beta1')},application/json` }),
    );
    expect(older.headers['content-type']).toBe('application/json');
  });

  it('one document contains every kind with its subresources (DISC-13, DISC-16, DISC-17)', async () => {
    const { kind, apiVersion, metadata, items } = await documentsOf().get('/apis', aggregated);
    expect({ kind, apiVersion, metadata }).toEqual({
      kind: 'APIGroupDiscoveryList',
      apiVersion: 'apidiscovery.k8s.io/v2',
      metadata: {},
    });
    const fleet = items[0];
    expect(fleet.metadata).toEqual({ name: 'fleet.example.com' });
    expect(fleet.versions.map(({ version }: { version: string }) => version)).toEqual(['v1', 'v1beta1']);
    expect(fleet.versions[0].freshness).toBe('Current');
    const ship = { group: 'fleet.example.com', version: 'v1', kind: 'Ship' };
    const manifest = { ...ship, kind: 'ShipManifest' };
    expect(fleet.versions[0].resources[0]).toEqual({
      resource: 'ships',
      responseKind: ship,
      scope: 'Namespaced',
      singularResource: 'ship',
      verbs: ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'],
      shortNames: ['sh'],
      categories: ['all'],
      subresources: [
        { subresource: 'status', responseKind: ship, verbs: ['get', 'patch', 'update'] },
        { subresource: 'manifest', responseKind: manifest, acceptedTypes: [manifest], verbs: ['create'] },
      ],
    });
  });

  it('the core group is one item without a name (DISC-14)', async () => {
    const { items } = await documentsOf().get('/api', aggregated);
    expect(items).toHaveLength(1);
    expect(items[0].metadata).toEqual({});
    expect(items[0].versions[0].resources.map(({ resource }: { resource: string }) => resource)).toEqual([
      'namespaces',
      'events',
    ]);
  });

  it('a client that has the document gets 304 (DISC-15)', async () => {
    const { reply } = documentsOf();
    const first = await reply(exampleExchange('/apis', { accept: aggregated }));
    const etag = String(first.headers.etag);
    expect(etag).toMatch(/^"[0-9A-F]{128}"$/);
    expect(first.headers).toMatchObject({ vary: 'Accept', 'cache-control': 'public' });
    const again = await reply(exampleExchange('/apis', { accept: aggregated, 'if-none-match': etag }));
    expect(again).toMatchObject({ status: 304, headers: { etag } });
    expect(again.body).toBeUndefined();
    const other = await reply(exampleExchange('/apis', { accept: aggregated, 'if-none-match': '"ABC"' }));
    expect(other.status).toBe(200);
  });

  it('discovery supports only GET (REQ-10)', async () => {
    expect(await documentsOf().refusal('/apis', 'POST')).toBe(405);
  });
});
