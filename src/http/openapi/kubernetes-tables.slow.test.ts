import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import { moduleDirectory } from '../../../scripts/kubernetes-types/module-directory.mjs';
import { version } from '../../../scripts/kubernetes-types/packages.mjs';
import { structTables } from '../../../scripts/kubernetes-types/struct-tables.mjs';
import { type KubeObject, parseApiVersion } from '../../api/meta.ts';
import { kubernetesSchemas, kubernetesStructs } from '../../api/structs/kubernetes-structs.ts';
import { toPrintedForm } from '../../api/structs/printed-form.ts';
import { protobufCodec } from '../protobuf/envelope.ts';
import { comparableComponent } from './comparable-component.fixture.ts';
import { kindComponents } from './kind-components.ts';
import { metaComponents } from './meta-components.ts';

/** The OpenAPI components of all API versions, by name, as Kubernetes publishes them in its Go module. */
function publishedComponents(): Map<string, JsonObject> {
  const folder = join(
    moduleDirectory('k8s.io/kubernetes', version.replace(/^v0/, 'v1')) as string,
    'api/openapi-spec/v3',
  );
  const components = new Map<string, JsonObject>();
  for (const file of readdirSync(folder).filter(
    (name) => name.endsWith('__v1_openapi.json') || name.endsWith('__v2_openapi.json'),
  )) {
    const { components: found } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as {
      components?: { schemas?: Record<string, JsonObject> };
    };
    for (const [name, schema] of Object.entries(found?.schemas ?? {})) components.set(name, schema);
  }
  return components;
}

/** The components of all kinds in the tables, in the form in which this server publishes them. */
function ownComponents(): JsonObject {
  const components: JsonObject = {};
  for (const { apiVersion, kind, struct } of kubernetesStructs.kinds()) {
    const schema = kubernetesSchemas.kindSchema(struct);
    const names = { ...parseApiVersion(apiVersion), kind, plural: kind.toLowerCase(), singular: kind.toLowerCase() };
    Object.assign(components, kindComponents({ ...names, namespaced: true, builtIn: true, schema }));
  }
  return components;
}

/** Go prints absent lists, times and pointers as null, which an API server treats as absent. */
function withoutNulls(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isJsonObject(value)) return value;
  const kept = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(kept.map(([name, member]) => [name, withoutNulls(member)]));
}

describe('the struct tables', () => {
  it('are those that the generator makes from the types of Kubernetes', () => {
    const folder = new URL('../../api/structs/kubernetes/', import.meta.url);
    const made = structTables() as Map<string, string>;
    expect(readdirSync(folder).toSorted()).toEqual([...made.keys()].toSorted());
    for (const [file, source] of made) expect(readFileSync(new URL(file, folder), 'utf8'), file).toBe(source);
  });

  it('give the OpenAPI components of Kubernetes (OAPI-07, OAPI-12, SSA-23)', () => {
    const published = publishedComponents();
    const shared = Object.keys(metaComponents([]));
    const differences: Record<string, unknown> = {};
    const own = Object.entries(ownComponents()).filter(([name]) => !shared.includes(name));
    for (const [name, component] of own) {
      const [ours, theirs] = [component as JsonObject, published.get(name) ?? {}].map((each) =>
        comparableComponent(each),
      );
      if (!isDeepStrictEqual(ours, theirs)) differences[name] = { ours, theirs };
    }
    expect(differences).toEqual({});
    expect(own.length).toBeGreaterThan(400);
  });

  it('encode and print the filled objects of Kubernetes as Go does (NEG-06, DEC-25)', () => {
    const folder = join(moduleDirectory('k8s.io/api', version) as string, 'testdata/HEAD');
    let compared = 0;
    for (const { apiVersion, kind } of kubernetesStructs.kinds()) {
      const { group, version: named } = parseApiVersion(apiVersion);
      // Unlike the other Go modules, the module with the types of the aggregator contains no test objects.
      if (group === 'apiregistration.k8s.io') continue;
      const file = join(folder, `${group || 'core'}.${named}.${kind}`);
      const bytes = new Uint8Array(readFileSync(`${file}.pb`));
      const json = parseJson(readFileSync(`${file}.json`, 'utf8')).value as JsonObject;
      expect(Buffer.from(protobufCodec.encode(json)).equals(bytes), `${apiVersion} ${kind} as protobuf`).toBe(true);
      const decoded = protobufCodec.decode({ group, version: named, kind }, bytes);
      expect(withoutNulls(decoded), `${apiVersion} ${kind} from protobuf`).toEqual(withoutNulls(json));
      expect(toPrintedForm(json as KubeObject), `${apiVersion} ${kind} as JSON`).toEqual(json);
      compared++;
    }
    expect(compared).toBeGreaterThan(40);
  });
});
