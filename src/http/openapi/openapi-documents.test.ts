import { isJsonObject, type JsonObject, type JsonValue } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import { StatusError } from '../../api/status.ts';
import { documentReply } from '../documents/api-document.ts';
import { SharedDocuments } from '../documents/shared-documents.ts';
import { exampleExchange, examplePlane } from '../plane.fixture.ts';
import type { Reply } from '../reply.ts';
import { openApiDocuments } from './openapi-documents.ts';

const documents = openApiDocuments(examplePlane(), { serverVersion: 'v1.34.0', shared: new SharedDocuments() });
const protobuf = 'application/com.github.proto-openapi.spec.v3.v1.0+protobuf';

async function reply(path: string, headers: Record<string, string> = {}): Promise<Reply> {
  const exchange = exampleExchange(path, headers);
  const found = await documents.find(exchange);
  if (found === undefined) throw new Error(`nothing answered ${path}`);
  return 'document' in found ? documentReply(exchange, found) : found;
}

async function get(path: string): Promise<JsonObject> {
  return JSON.parse(String((await reply(path)).body));
}

function at(root: JsonValue | undefined, ...path: string[]): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>((value, key) => (isJsonObject(value) ? value[key] : undefined), root);
}

const index = Object.entries((await get('/openapi/v3')).paths as JsonObject) as [
  string,
  { serverRelativeURL: string },
][];
const versions = ['api/v1', 'apis/fleet.example.com/v1', 'apis/fleet.example.com/v1beta1', 'apis/events.k8s.io/v1'];
const fleet = '/openapi/v3/apis/fleet.example.com/v1';
const shipPath = '/apis/fleet.example.com/v1/namespaces/{namespace}/ships/{name}';

function references(value: JsonValue, found: string[] = []): string[] {
  if (Array.isArray(value)) for (const item of value) references(item, found);
  else if (isJsonObject(value)) {
    for (const [key, member] of Object.entries(value)) {
      if (key === '$ref' && typeof member === 'string') found.push(member);
      else references(member, found);
    }
  }
  return found;
}

function operations(document: JsonObject): { path: string; method: string; operation: JsonObject }[] {
  return Object.entries(document.paths as JsonObject).flatMap(([path, item]) =>
    Object.entries(item as JsonObject)
      .filter(([method]) => method !== 'parameters')
      .map(([method, operation]) => ({ path, method, operation: operation as JsonObject })),
  );
}

describe('/openapi/v3', () => {
  it('lists a document for every group version, with its hash (OAPI-01)', async () => {
    expect(index.map(([path]) => path)).toEqual(expect.arrayContaining([...versions, 'apis', 'version']));
    for (const [path, { serverRelativeURL }] of index) {
      expect(serverRelativeURL).toMatch(new RegExp(`^/openapi/v3/${path}\\?hash=[0-9A-F]{128}$`));
    }
    expect((await reply('/openapi/v3')).headers.etag).toMatch(/^"[0-9A-F]{128}"$/);
  });

  it.each(index)('resolves all references of %s without cycles (OAPI-15)', async (_path, entry) => {
    const document = await get(entry.serverRelativeURL);
    const schemas = at(document, 'components', 'schemas') as JsonObject;
    for (const reference of references(document)) {
      expect(reference.startsWith('#/components/schemas/')).toBe(true);
      expect(schemas).toHaveProperty([reference.slice('#/components/schemas/'.length)]);
    }
    const walk = (name: string, above: readonly string[]): void => {
      expect(above).not.toContain(name);
      for (const reference of references(schemas[name] ?? {})) {
        walk(reference.slice('#/components/schemas/'.length), [...above, name]);
      }
    };
    for (const name of Object.keys(schemas)) walk(name, []);
  });

  it('can be cached forever under its hash (OAPI-02, OAPI-03)', async () => {
    const { serverRelativeURL } = Object.fromEntries(index)['api/v1'] ?? { serverRelativeURL: '' };
    const { status, headers } = await reply(serverRelativeURL);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'cache-control': 'public, immutable',
      expires: 'Fri, 01 Jan 2027 00:00:00 GMT',
      vary: 'Accept',
    });
    expect(`/openapi/v3/api/v1?hash=${String(headers.etag).slice(1, -1)}`).toBe(serverRelativeURL);
  });

  it('redirects a wrong hash to the right one, below the requested root (OAPI-03)', async () => {
    const { status, headers } = await reply(`${fleet}?hash=ABC`);
    const right = Object.fromEntries(index)['apis/fleet.example.com/v1']?.serverRelativeURL;
    expect({ status, location: headers.location }).toEqual({ status: 301, location: `/root${right}` });
  });

  it('returns 304 without a hash to a client that has the document (OAPI-03)', async () => {
    const { headers } = await reply(fleet);
    expect(headers['cache-control']).toBeUndefined();
    expect((await reply(fleet, { 'if-none-match': String(headers.etag) })).status).toBe(304);
  });

  it('returns 406 to a client that accepts only protobuf, else JSON (OAPI-04)', async () => {
    await expect(reply(fleet, { accept: protobuf })).rejects.toThrow(StatusError);
    expect((await reply(fleet, { accept: `${protobuf},application/json;q=0.5` })).status).toBe(200);
  });

  it('returns 404 for an unknown group version (OAPI-16)', async () => {
    await expect(reply('/openapi/v3/apis/fleet.example.com/v9')).rejects.toThrow(
      'the server could not find the requested resource',
    );
  });
});

describe('a document of /openapi/v3', () => {
  it.each(versions)('describes the action and kind of every operation in %s (OAPI-05)', async (version) => {
    const ids = new Set<JsonValue | undefined>();
    for (const { path, method, operation } of operations(await get(`/openapi/v3/${version}`))) {
      expect(operation['x-kubernetes-group-version-kind']).toEqual({
        group: expect.any(String),
        version: expect.any(String),
        kind: expect.any(String),
      });
      expect(['get', 'list', 'post', 'put', 'patch', 'delete', 'deletecollection']).toContain(
        operation['x-kubernetes-action'],
      );
      expect(ids, `${method} ${path}`).not.toContain(operation.operationId);
      ids.add(operation.operationId);
    }
  });

  it('has all paths of a kind and none of missing verbs (OAPI-08)', async () => {
    expect(Object.keys((await get(fleet)).paths as JsonObject).sort()).toEqual([
      '/apis/fleet.example.com/v1/namespaces/{namespace}/ships',
      '/apis/fleet.example.com/v1/namespaces/{namespace}/ships/{name}',
      '/apis/fleet.example.com/v1/namespaces/{namespace}/ships/{name}/manifest',
      '/apis/fleet.example.com/v1/namespaces/{namespace}/ships/{name}/status',
      '/apis/fleet.example.com/v1/ports',
      '/apis/fleet.example.com/v1/ports/{name}',
      '/apis/fleet.example.com/v1/ships',
    ]);
    expect(Object.keys(at(await get(fleet), 'paths', '/apis/fleet.example.com/v1/ports') as JsonObject)).toEqual([
      'get',
      'parameters',
    ]);
  });

  it('names kinds, lists and shared types as Kubernetes does (OAPI-06, OAPI-07)', async () => {
    const schemas = at(await get(fleet), 'components', 'schemas') as JsonObject;
    expect(at(schemas, 'com.example.fleet.v1.Ship', 'x-kubernetes-group-version-kind')).toEqual([
      { group: 'fleet.example.com', kind: 'Ship', version: 'v1' },
    ]);
    const shared = 'io.k8s.apimachinery.pkg.apis.meta.v1';
    expect(Object.keys(schemas)).toEqual(
      expect.arrayContaining([
        'com.example.fleet.v1.ShipList',
        ...['ObjectMeta', 'ListMeta', 'Status', 'DeleteOptions', 'Patch', 'WatchEvent'].map(
          (name) => `${shared}.${name}`,
        ),
      ]),
    );
    expect(at(schemas, `${shared}.DeleteOptions`, 'x-kubernetes-group-version-kind')).toEqual([
      { group: '', kind: 'DeleteOptions', version: 'v1' },
      { group: 'fleet.example.com', kind: 'DeleteOptions', version: 'v1' },
    ]);
    expect(Object.keys(at(await get('/openapi/v3/api/v1'), 'components', 'schemas') as JsonObject)).toContain(
      'io.k8s.api.core.v1.Namespace',
    );
  });

  it.each(versions)(
    'lists the supported patch types in %s, strategic merge patches only for built-in kinds (OAPI-09)',
    async (version) => {
      const patches = operations(await get(`/openapi/v3/${version}`)).filter(({ method }) => method === 'patch');
      const isTyped = version === 'api/v1' || version.includes('k8s.io');
      for (const { operation } of patches) {
        expect(Object.keys(at(operation, 'requestBody', 'content') as JsonObject)).toEqual([
          'application/apply-patch+yaml',
          'application/json-patch+json',
          'application/merge-patch+json',
          ...(isTyped ? ['application/strategic-merge-patch+json'] : []),
        ]);
      }
    },
  );

  it('has the parameters that kubectl checks for (OAPI-10, OAPI-11, KUBECTL-30)', async () => {
    const document = await get(fleet);
    const names = (method: string) =>
      (at(document, 'paths', shipPath, method, 'parameters') as JsonObject[]).map(({ name }) => name);
    expect(names('patch')).toEqual(['dryRun', 'fieldManager', 'fieldValidation', 'force']);
    expect(names('put')).toEqual(['dryRun', 'fieldManager', 'fieldValidation']);
    expect(names('delete')).toEqual(expect.arrayContaining(['dryRun', 'gracePeriodSeconds', 'propagationPolicy']));
  });

  it('publishes the validation schema with its extensions (OAPI-12, OAPI-13)', async () => {
    const ship = at(await get(fleet), 'components', 'schemas', 'com.example.fleet.v1.Ship') as JsonObject;
    expect(at(ship, 'properties', 'metadata')).toMatchObject({
      default: {},
      allOf: [{ $ref: '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' }],
    });
    expect(at(ship, 'properties', 'apiVersion', 'type')).toBe('string');
    const spec = at(ship, 'properties', 'spec', 'properties');
    expect(at(spec, 'masts')).toEqual({
      type: 'integer',
      format: 'int32',
      description: 'How many masts.',
      default: 3,
      minimum: 1,
    });
    expect(at(spec, 'cargo')).toMatchObject({
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
    });
    expect(at(spec, 'draught')).toEqual({
      'x-kubernetes-int-or-string': true,
      anyOf: [{ type: 'integer' }, { type: 'string' }],
    });
    expect(at(spec, 'log', 'x-kubernetes-preserve-unknown-fields')).toBe(true);
    expect(ship['x-kubernetes-selectable-fields']).toEqual([{ fieldPath: 'spec.masts' }]);
    const list = at(await get(fleet), 'components', 'schemas', 'com.example.fleet.v1.ShipList');
    expect(at(list, 'required')).toEqual(['items']);
  });
});

describe('/openapi/v2', () => {
  it('is a self-contained Swagger 2.0 document in JSON (OAPI-14)', async () => {
    const document = await get('/openapi/v2');
    expect(document.swagger).toBe('2.0');
    const definitions = document.definitions as JsonObject;
    for (const reference of references(document)) {
      expect(definitions).toHaveProperty([reference.replace('#/definitions/', '')]);
    }
    const patch = at(document, 'paths', shipPath, 'patch');
    expect(at(patch, 'consumes')).toContain('application/merge-patch+json');
    expect((at(patch, 'parameters') as JsonObject[])[0]).toMatchObject({ name: 'body', in: 'body', required: true });
    expect(JSON.stringify(document)).not.toContain('"nullable"');
    const options = at(definitions, 'io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions');
    expect(at(options, 'x-kubernetes-group-version-kind')).toHaveLength(5);
  });

  it('is a protobuf message if the client accepts nothing else (OAPI-14)', async () => {
    const accept = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
    const found = await reply('/openapi/v2', { accept });
    expect(found.headers['content-type']).toBe('application/com.github.proto-openapi.spec.v2.v1.0+protobuf');
    expect(found.headers.etag).not.toBe((await reply('/openapi/v2')).headers.etag);
    const etag = String(found.headers.etag);
    expect((await reply('/openapi/v2', { accept, 'if-none-match': etag })).status).toBe(304);
    const both = await reply('/openapi/v2', { accept: `${accept}, application/json` });
    expect(both.headers['content-type']).toBe('application/json');
  });
});
