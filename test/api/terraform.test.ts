import { cloneJson, isJsonObject, type JsonObject, type JsonValue, listAt, textAt, valueAt } from '@flotilla/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { instancesOf, isReconciled, waitForInstance } from '../../src/server/instances.fixture.ts';
import { groupPath, type ParsedResponse, type RequestOptions, ServerTestEnv } from '../../src/server/server.fixture.ts';
import type { RunningServer } from '../../src/server/start-server.ts';

const root = '/kubernetes/management';
const apiVersion = 'management.platform.sh/v1';

interface ManagedObject {
  readonly kind: string;
  readonly collection: string;
  readonly metadata: JsonObject;
  readonly spec: JsonObject;
}

const managedObjects: readonly ManagedObject[] = [
  {
    kind: 'VirtualClusterTemplate',
    collection: `${groupPath}/virtualclustertemplates`,
    metadata: { name: 'small' },
    spec: { displayName: 'Small', parameters: [{ variable: 'size', type: 'number', defaultValue: '1' }], template: {} },
  },
  {
    kind: 'Project',
    collection: `${groupPath}/projects`,
    metadata: { name: 'web' },
    spec: {
      displayName: 'Web',
      allowedClusters: [{ name: '*' }],
      allowedTemplates: [{ name: 'small' }],
      quotas: { project: { virtualclusterinstances: 10 } },
    },
  },
  {
    kind: 'VirtualClusterInstance',
    collection: instancesOf('web'),
    metadata: { name: 'shop', namespace: 'platform-p-web' },
    spec: { displayName: 'Shop', templateRef: { name: 'small' } },
  },
  {
    kind: 'OwnedAccessKey',
    collection: `${groupPath}/ownedaccesskeys`,
    metadata: { name: 'deploy' },
    spec: { displayName: 'Deployments' },
  },
];

/**
 * The requests of the resource kubernetes_manifest of HashiCorp's Kubernetes provider. The provider derives a type from
 * the definition of the kind, keeps the whole object in its state, and applies that state together with the manifest,
 * without force.
 */
describe('the requests of Terraform', () => {
  let bench: ServerTestEnv;
  let server: RunningServer;
  let definitions: readonly JsonValue[];
  beforeAll(async () => {
    bench = await ServerTestEnv.open();
    server = await bench.start();
    const list = await ask(`${root}/apis/apiextensions.k8s.io/v1/customresourcedefinitions`);
    definitions = listAt(list.json, 'items');
  });
  afterAll(() => bench.close());

  const ask = (to: string, call: RequestOptions = {}): Promise<ParsedResponse> => bench.send(server, to, call);
  const pathOf = ({ collection, metadata }: ManagedObject) => `${collection}/${textAt(metadata, 'name')}`;
  const manifestOf = ({ kind, metadata, spec }: ManagedObject): JsonObject => ({ apiVersion, kind, metadata, spec });
  const apply = (object: ManagedObject, body: JsonObject) =>
    ask(`${pathOf(object)}?fieldManager=Terraform&force=false`, {
      method: 'PATCH',
      type: 'application/apply-patch+yaml',
      body,
    });
  const specSchemaOf = (kind: string): JsonValue | undefined => {
    const definition = definitions.find((one) => textAt(one, 'spec', 'names', 'kind') === kind);
    return valueAt(definition, 'spec', 'versions', 0, 'schema', 'openAPIV3Schema', 'properties', 'spec');
  };
  /** Waits until the server has processed the object, and returns it. */
  const read = async (object: ManagedObject): Promise<JsonObject> => {
    if (object.kind === 'VirtualClusterInstance') {
      await waitForInstance(bench, server, { project: 'web', name: 'shop' }, isReconciled);
    }
    return (await ask(pathOf(object))).json;
  };

  it('read the type of metadata from OpenAPI v2', async () => {
    const { json } = await ask(`${root}/openapi/v2`);
    const metadata = valueAt(json, 'definitions', 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta', 'properties');
    expect(Object.keys(metadata as JsonObject)).toContain('finalizers');
  });

  it('find a type for each field of each kind that a manifest can set', () => {
    expect(definitions.length).toBeGreaterThan(managedObjects.length);
    for (const definition of definitions) {
      const kind = textAt(definition, 'spec', 'names', 'kind');
      expect([...untypedFields(specSchemaOf(kind), `${kind}.spec`)]).toEqual([]);
    }
  });

  describe.each(managedObjects)('for the kind $kind', (object) => {
    it('create the object, and find every field of the manifest unchanged and with a type', async () => {
      expect((await ask(pathOf(object))).code).toBe(404);
      const created = await apply(object, manifestOf(object));
      expect(created.code, created.text).toBe(201);
      expect(created.json).toMatchObject(manifestOf(object));
      const live = await read(object);
      expect(live).toMatchObject(manifestOf(object));
      expect([...fieldsWithoutSchema(live.spec, specSchemaOf(object.kind), 'spec')]).toEqual([]);
    });

    it('change one field and send all others as they were read', async () => {
      const before = await read(object);
      const changed = cloneJson(stateOf(before));
      (changed.spec as JsonObject).displayName = 'Changed';
      const answer = await apply(object, changed);
      expect(answer.code, answer.text).toBe(200);
      const after = await read(object);
      expect(after.spec).toEqual({ ...(before.spec as JsonObject), displayName: 'Changed' });
      expect(valueAt(after, 'metadata', 'uid')).toBe(valueAt(before, 'metadata', 'uid'));
    });

    it('apply an imported object without a change of its generation', async () => {
      const entries = { metadata: { managedFields: [{}] } };
      await ask(pathOf(object), { method: 'PATCH', type: 'application/merge-patch+json', body: entries });
      const imported = await read(object);
      const answer = await apply(object, stateOf(imported));
      expect(answer.code, answer.text).toBe(200);
      const after = await read(object);
      expect(after.spec).toEqual(imported.spec);
      expect(valueAt(after, 'metadata', 'generation')).toBe(valueAt(imported, 'metadata', 'generation'));
    });
  });

  it('return the value of a new access key once', async () => {
    const key: ManagedObject = {
      kind: 'OwnedAccessKey',
      collection: `${groupPath}/ownedaccesskeys`,
      metadata: { name: 'once' },
      spec: {},
    };
    expect(textAt((await apply(key, manifestOf(key))).json, 'spec', 'key')).not.toBe('');
    expect(textAt((await ask(pathOf(key))).json, 'spec', 'key')).toBe('');
  });
});

/** Returns the part of an object that the provider keeps and sends with the next change. */
function stateOf(object: JsonObject): JsonObject {
  const { status: _, ...rest } = cloneJson(object);
  const metadata = { ...(rest.metadata as JsonObject) };
  for (const field of ['uid', 'creationTimestamp', 'resourceVersion', 'generation', 'selfLink', 'managedFields']) {
    delete metadata[field];
  }
  return { ...rest, metadata };
}

/**
 * Yields the paths of fields for which the provider finds no fixed type. The provider cannot plan lists of such values.
 */
function* untypedFields(schema: JsonValue | undefined, path: string): Iterable<string> {
  const { type, properties, additionalProperties, items, ...rest } = isJsonObject(schema) ? schema : {};
  if (rest['x-kubernetes-int-or-string'] === true) return;
  if (isJsonObject(properties) && additionalProperties !== undefined) yield `${path} is an object and a map`;
  else if (isJsonObject(properties)) {
    for (const [name, member] of Object.entries(properties)) yield* untypedFields(member, `${path}.${name}`);
  } else if (isJsonObject(additionalProperties)) yield* untypedFields(additionalProperties, `${path}.*`);
  else if (type === 'array') yield* untypedFields(items, `${path}[]`);
  else if (type === undefined || type === 'object') yield path;
}

/** Yields the paths of the fields of a value that are not in its schema. */
function* fieldsWithoutSchema(
  value: JsonValue | undefined,
  schema: JsonValue | undefined,
  path: string,
): Iterable<string> {
  if (Array.isArray(value)) {
    for (const item of value) yield* fieldsWithoutSchema(item, valueAt(schema, 'items'), `${path}[]`);
  } else if (isJsonObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      const found = valueAt(schema, 'properties', name) ?? valueAt(schema, 'additionalProperties');
      if (found === undefined) yield `${path}.${name}`;
      else yield* fieldsWithoutSchema(member, found, `${path}.${name}`);
    }
  }
}
