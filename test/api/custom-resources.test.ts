import { type JsonObject, type JsonValue, listAt, objectAt, textAt, valueAt } from '@flotilla/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mergePatch, type ParsedResponse, ServerTestEnv } from '../../src/server/server.fixture.ts';
import type { RunningServer } from '../../src/server/start-server.ts';

const root = '/kubernetes/cluster/local';
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const ships = '/apis/sea.example.com/v1/namespaces/default/ships';

const definition: JsonObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'ships.sea.example.com' },
  spec: {
    group: 'sea.example.com',
    names: { plural: 'ships', kind: 'Ship', shortNames: ['sh'], listKind: 'Fleet' },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: {
          status: {},
          scale: { specReplicasPath: '.spec.masts', statusReplicasPath: '.status.masts' },
        },
        selectableFields: [{ jsonPath: '.spec.name' }],
        additionalPrinterColumns: [{ name: 'Called', type: 'string', jsonPath: '.spec.name' }],
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: { masts: { type: 'integer', default: 3 }, name: { type: 'string', maxLength: 5 } },
                'x-kubernetes-validations': [{ rule: 'self.masts < 10', message: 'too many' }],
              },
              status: { type: 'object', properties: { masts: { type: 'integer' } } },
            },
          },
        },
      },
      {
        name: 'v1beta1',
        served: true,
        storage: false,
        deprecated: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

let bench: ServerTestEnv;
let server: RunningServer;
beforeAll(async () => {
  bench = await ServerTestEnv.open();
  server = await bench.start();
  expect((await post(definitions, definition)).code).toBe(201);
});
afterAll(() => bench.close());

const ask = (path: string, call = {}): Promise<ParsedResponse> => bench.send(server, `${root}${path}`, call);
const post = (path: string, body: JsonValue) => ask(path, { method: 'POST', body });
const ship = (name: string, spec: JsonObject = {}): JsonObject => ({ metadata: { name }, spec });

describe('a kind of a CustomResourceDefinition', () => {
  it('is available to the very next request, also in discovery and OpenAPI (OAPI-12, OAPI-13)', async () => {
    const { json } = await post(ships, ship('first', { name: 'a' }));
    expect(json).toMatchObject({ apiVersion: 'sea.example.com/v1', kind: 'Ship', spec: { masts: 3, name: 'a' } });
    const list = await ask(ships);
    expect(list.json.kind).toBe('Fleet');
    const { json: group } = await ask('/apis/sea.example.com');
    expect(textAt(group, 'preferredVersion', 'version')).toBe('v1');
    const { json: document } = await ask('/openapi/v3/apis/sea.example.com/v1');
    const component = objectAt(document, 'components', 'schemas', 'com.example.sea.v1.Ship');
    expect(component).toMatchObject({
      properties: {
        metadata: { allOf: [{ $ref: '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' }] },
        spec: { 'x-kubernetes-validations': [{ rule: 'self.masts < 10' }] },
      },
      'x-kubernetes-group-version-kind': [{ group: 'sea.example.com', kind: 'Ship', version: 'v1' }],
      'x-kubernetes-selectable-fields': [{ fieldPath: 'spec.name' }],
    });
    expect(document.paths).toHaveProperty([
      '/apis/sea.example.com/v1/namespaces/{namespace}/ships/{name}/scale',
      'put',
    ]);
    const { json: swagger } = await ask('/openapi/v2');
    expect(swagger.definitions).toHaveProperty(['com.example.sea.v1.Ship']);
  });

  it('regenerates only the OpenAPI documents of its group version when it changes (OAPI-03)', async () => {
    const hashes = async () => {
      const { json } = await ask('/openapi/v3');
      return new Map(
        Object.entries(json.paths as JsonObject).map(([path, entry]) => [path, textAt(entry, 'serverRelativeURL')]),
      );
    };
    const before = await hashes();
    const other = JSON.parse(JSON.stringify(definition).replaceAll('ships', 'boats').replaceAll('Ship', 'Boat'));
    other.spec.names = { plural: 'boats', kind: 'Boat' };
    expect((await post(definitions, other)).code).toBe(201);
    const after = await hashes();
    const changed = [...after].filter(([path, url]) => before.get(path) !== url).map(([path]) => path);
    expect(changed.sort()).toEqual(['apis/sea.example.com/v1', 'apis/sea.example.com/v1beta1']);
  });

  it('enforces its schema and its validation rules (META-21, META-22)', async () => {
    const refused = await post(ships, ship('bad', { name: 'far too long', masts: 12 }));
    expect(refused.code).toBe(422);
    expect(listAt(refused.json, 'details', 'causes').map((cause) => textAt(cause, 'message'))).toEqual([
      'Too long: may not be more than 5 bytes',
      'Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
    ]);
    expect((await post(ships, ship('bad', { masts: 12 }))).text).toContain('too many');
    const strict = await post(`${ships}?fieldValidation=Strict`, ship('bad', { sails: 1 }));
    expect(strict.text).toContain('strict decoding error: unknown field \\"spec.sails\\"');
  });

  it('is scaled through its own scale subresource (SCALE-01, SCALE-03)', async () => {
    await post(ships, ship('big', { masts: 4 }));
    const { json: scale } = await ask(`${ships}/big/scale`);
    expect(scale).toMatchObject({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      spec: { replicas: 4 },
      status: { replicas: 0 },
    });
    const put = { ...scale, spec: { replicas: 6 } };
    expect((await ask(`${ships}/big/scale`, { method: 'PUT', body: put })).json.spec).toEqual({ replicas: 6 });
    expect((await ask(`${ships}/big/scale`, { method: 'PUT', body: put })).code).toBe(409);
    expect((await ask(`${ships}/big/scale`, mergePatch({ spec: { replicas: 7 } }))).code).toBe(200);
    const { json } = await ask(`${ships}/big`);
    expect(valueAt(json, 'spec', 'masts')).toBe(7);
    expect(valueAt(json, 'metadata', 'generation')).toBe(3);
    const owners = listAt(json, 'metadata', 'managedFields').map((entry) => textAt(entry, 'subresource'));
    expect(owners).toContain('scale');
    expect((await ask(`${ships}/big/scale`, mergePatch({ spec: { replicas: -1 } }))).text).toContain(
      '.spec.masts: Invalid value: -1: should be a non-negative integer',
    );
    const none = await ask(`${ships}/big`, mergePatch({ spec: { masts: null } }));
    expect(valueAt(none.json, 'spec', 'masts')).toBe(3);
  });

  it('has a separate status subresource and selectable fields (STATUS-02, SEL-09, SEL-14)', async () => {
    await post(ships, { ...ship('calm', { name: 'calm' }), status: { masts: 9 } });
    const { json } = await ask(`${ships}/calm/status`, mergePatch({ status: { masts: 1 }, spec: { name: 'wild' } }));
    expect([json.spec, json.status, valueAt(json, 'metadata', 'generation')]).toEqual([
      { masts: 3, name: 'calm' },
      { masts: 1 },
      1,
    ]);
    const selected = await ask(`${ships}?fieldSelector=spec.name%3Dcalm`);
    expect(listAt(selected.json, 'items')).toHaveLength(1);
    expect((await ask(`${ships}?fieldSelector=spec.masts%3D3`)).text).toContain(
      'field label not supported: spec.masts',
    );
  });

  it('adds a warning for a deprecated version (CREATE-29)', async () => {
    const response = await bench.request(server, `${root}/apis/sea.example.com/v1beta1/ships`);
    expect(response.headers.warning).toBe(
      '299 - "sea.example.com/v1beta1 Ship is deprecated; use sea.example.com/v1 Ship"',
    );
    await response.body.dump();
  });

  it('accepts no strategic merge patch (PATCH-01)', async () => {
    const call = { method: 'PATCH', type: 'application/strategic-merge-patch+json', body: { spec: {} } };
    expect((await ask(`${ships}/calm`, call)).code).toBe(415);
  });
});
