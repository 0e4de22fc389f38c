import { describe } from 'vitest';
import { definitionJson, testGroup } from '../../../../src/api/apiextensions/definition-cases.fixture.ts';
import { comparedTests } from '../../area.ts';
import type { Pair, SendOptions } from '../../pair.ts';
import { define, definitions } from './definitions.ts';

type Json = Record<string, unknown>;

const merge = 'application/merge-patch+json';
const jsonPatch = 'application/json-patch+json';
const text = { type: 'string' };

const boatSpec: Json = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string', maxLength: 8 },
    masts: { type: 'integer', minimum: 0, default: 2 },
    mood: { type: 'string', enum: ['calm', 'wild'], default: 'calm' },
    maybe: { type: 'string', nullable: true },
    never: { type: 'string', nullable: true, default: 'x' },
    port: { 'x-kubernetes-int-or-string': true },
    anyPort: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { known: { type: 'integer' } } },
    anything: { 'x-kubernetes-preserve-unknown-fields': true },
    pod: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
    tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: text },
    crew: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: {
        type: 'object',
        required: ['name'],
        properties: { name: text, rank: { type: 'string', default: 'sailor' }, age: { type: 'integer' } },
      },
    },
    atomic: { type: 'object', 'x-kubernetes-map-type': 'atomic', properties: { a: text, b: text } },
    labels: { type: 'object', additionalProperties: text },
    when: { type: 'string', format: 'date-time' },
    color: { type: 'string', format: 'colour' },
    small: { type: 'integer', format: 'int32' },
    ratio: { type: 'number' },
    nested: { type: 'object', default: {}, properties: { deep: { type: 'integer', default: 7 } } },
  },
};

const boat = definitionJson('boats', {
  names: { plural: 'boats', kind: 'Boat', shortNames: ['bt'], categories: ['all'], listKind: 'Fleet' },
  versions: [
    {
      name: 'v1',
      served: true,
      storage: true,
      schema: {
        openAPIV3Schema: {
          type: 'object',
          properties: {
            metadata: { type: 'object', properties: { name: { type: 'string', maxLength: 12 } } },
            spec: boatSpec,
            status: {
              type: 'object',
              properties: {
                masts: { type: 'integer' },
                selector: text,
                phase: { type: 'string', enum: ['In', 'Out'] },
              },
            },
          },
        },
      },
      subresources: {
        status: {},
        scale: {
          specReplicasPath: '.spec.masts',
          statusReplicasPath: '.status.masts',
          labelSelectorPath: '.status.selector',
        },
      },
      selectableFields: [{ jsonPath: '.spec.name' }, { jsonPath: '.spec.masts' }],
      additionalPrinterColumns: [
        { name: 'Boat', type: 'string', jsonPath: '.spec.name', description: 'What it is called.' },
        { name: 'Masts', type: 'integer', jsonPath: '.spec.masts' },
        { name: 'Ratio', type: 'number', jsonPath: '.spec.ratio', priority: 1 },
        { name: 'Captain', type: 'string', jsonPath: '.spec.crew[?(@.rank=="captain")].name' },
        { name: 'First', type: 'string', jsonPath: '.spec.crew[0].name' },
        { name: 'Crew', type: 'string', jsonPath: '.spec.crew[*].name' },
        { name: 'Labels', type: 'string', jsonPath: '.spec.labels' },
        { name: 'Label', type: 'string', jsonPath: '.spec.labels.app\\.kubernetes\\.io/name' },
        { name: 'Tags', type: 'string', jsonPath: '.spec.tags' },
        { name: 'When', type: 'date', jsonPath: '.spec.when' },
        { name: 'Wrong', type: 'boolean', jsonPath: '.spec.name' },
      ],
    },
    {
      name: 'v2beta1',
      served: true,
      storage: false,
      deprecated: true,
      schema: {
        openAPIV3Schema: {
          type: 'object',
          properties: {
            spec: {
              type: 'object',
              properties: { name: text, maybe: { type: 'string', default: 'new' }, masts: { type: 'integer' } },
            },
          },
        },
      },
    },
  ],
});

const v1 = `/apis/${testGroup}/v1/namespaces/default/boats`;
const v2 = `/apis/${testGroup}/v2beta1/namespaces/default/boats`;

/** Specs of boats, valid and invalid. */
const specs: readonly unknown[] = [
  { name: 'a' },
  {},
  undefined,
  null,
  5,
  { name: 'far too long' },
  { name: null },
  { name: 'a', masts: null, mood: null, maybe: null, never: null },
  { name: 'a', masts: -1 },
  { name: 'a', masts: 1.5 },
  { name: 'a', masts: '1' },
  { name: 'a', masts: 3000000000 },
  { name: 'a', mood: 'sad' },
  { name: 'a', port: 5, anyPort: 'http' },
  { name: 'a', port: true },
  { name: 'a', anyPort: {} },
  { name: 'a', free: { x: { y: 1 }, known: 2 }, anything: [1, { a: null }] },
  { name: 'a', free: { known: 'x' } },
  { name: 'a', pod: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', odd: 1 }, spec: { x: 1 } } },
  { name: 'a', pod: {} },
  { name: 'a', pod: { apiVersion: 'a/b/c', kind: 'Pod_', metadata: { labels: { 'a b': 'c' } } } },
  { name: 'a', pod: { apiVersion: 'v1', kind: 'Pod', metadata: { labels: { a: 5 } } } },
  { name: 'a', tags: ['x', 'y', 'x'] },
  { name: 'a', tags: ['x', null] },
  { name: 'a', crew: [{ name: 'x' }, { name: 'y', rank: 'captain' }] },
  { name: 'a', crew: [{ name: 'x' }, { name: 'x' }] },
  { name: 'a', crew: [{ age: 5 }] },
  { name: 'a', atomic: { a: 'x', c: 'y' } },
  { name: 'a', labels: { x: 'y', z: 5 } },
  { name: 'a', when: 'yesterday' },
  { name: 'a', when: 5, color: 7, small: 'x' },
  { name: 'a', color: 'anything' },
  { name: 'a', small: 5000000000 },
  { name: 'a', ratio: 1, nested: { deep: 'x' } },
  { name: 'a', ratio: 'x', nested: null },
  { name: 'a', nested: { deep: null, wide: 1 } },
  { name: 'a', unknown: 1, also: { unknown: 2 } },
];

/** Compares objects of a definition that uses every feature of a structural schema. */
export function customObjects(pair: Pair): void {
  const compared = comparedTests(pair);
  const object = (name: string, spec: unknown, version = 'v1', more: Json = {}): Json => ({
    apiVersion: `${testGroup}/${version}`,
    kind: 'Boat',
    metadata: { name },
    ...(spec === undefined ? {} : { spec }),
    ...more,
  });
  const post = (json: Json, query = '', path = v1, options: SendOptions = {}) =>
    pair.send({ method: 'POST', path: `${path}${query}`, json }, options);
  const patch = (name: string, type: string, body: unknown, { query = '', path = v1 } = {}) =>
    pair.send({
      method: 'PATCH',
      path: `${path}/${name}${query}`,
      headers: { 'content-type': type },
      body: JSON.stringify(body),
    });
  const apply = (manager: string, name: string, spec: unknown, { query = '', version = 'v1', path = v1 } = {}) =>
    patch(name, 'application/apply-patch+yaml', object(name, spec, version), {
      query: `?fieldManager=${manager}${query}`,
      path,
    });

  describe('Custom objects', () => {
    compared('are created, defaulted, pruned or refused', async () => {
      await define(pair, boat);
      for (const spec of specs) {
        await post(object('dry', spec), '?dryRun=All');
        await post(object('dry', spec), '?dryRun=All&fieldValidation=Strict');
      }
      await post(
        object('dry', { name: 'a' }, 'v1', { status: { masts: 5 }, foo: 1 }),
        '?dryRun=All&fieldValidation=Warn',
      );
      await post(object('a-very-long-name', { name: 'a' }), '?dryRun=All');
      await post({ ...object('dry', { name: 'a' }), kind: 'Ship' }, '?dryRun=All');
    });

    compared('are read, listed, selected by field and shown in tables', async () => {
      await post(
        object('full', {
          name: 'full',
          masts: 4,
          ratio: 2,
          crew: [{ name: 'x' }, { name: 'y', rank: 'captain' }],
          labels: { 'app.kubernetes.io/name': 'z' },
          tags: ['p', 'q'],
        }),
      );
      await post(object('less', { name: 'less' }));
      await pair.send({ path: `${v1}/full` });
      await pair.send({ path: v1 });
      for (const selector of ['spec.name=full', 'spec.masts=2', 'spec.masts!=2,spec.name=full', 'spec.mood=calm']) {
        await pair.send({ path: `${v1}?fieldSelector=${encodeURIComponent(selector)}` });
      }
      const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
      for (const path of [v1, `${v1}/full`, v2]) await pair.send({ path, headers: { accept } });
    });

    compared('have a status subresource', async () => {
      const put = (status: unknown, more: Json = {}) =>
        pair.send((side) => {
          const json: Json = { ...side.kept('less'), ...more, status };
          return { method: 'PUT', path: `${v1}/less/status`, json };
        });
      await pair.send({ path: `${v1}/less` }, { keepAs: 'less' });
      await put({ masts: 1, phase: 'In', unknown: 1 }, { spec: { name: 'other' } });
      await pair.send({ path: `${v1}/less/status` }, { keepAs: 'less' });
      await put({ masts: 'x' });
      await put({ phase: 'Up', selector: 5 });
      await put(undefined);
      await patch('less/status', merge, { status: { masts: -1 } });
      await patch('less/status', merge, { status: { masts: 3, selector: 'a=b' } });
      await patch('less', merge, { status: { masts: 9 }, spec: { mood: 'wild' } });
    });

    compared('are scaled (SCALE-01 to SCALE-03)', async () => {
      await pair.send({ path: `${v1}/less/scale` }, { keepAs: 'scale' });
      const put = (spec: unknown, metadata: Json = {}) =>
        pair.send((side) => {
          const json = { ...side.kept('scale'), spec };
          json.metadata = { ...json.metadata, ...metadata };
          return { method: 'PUT', path: `${v1}/less/scale`, json };
        });
      await put({ replicas: 3 });
      await put({ replicas: 4 });
      await put({ replicas: 5 }, { resourceVersion: undefined });
      await pair.send({ path: `${v1}/less` });
      await put({}, { resourceVersion: undefined });
      await put({ replicas: -1 }, { resourceVersion: undefined });
      await put({ replicas: 1 }, { resourceVersion: undefined, name: 'other' });
      await patch('less/scale', merge, { spec: { replicas: 6 } });
      await patch('less/scale', jsonPatch, [{ op: 'replace', path: '/spec/replicas', value: 7 }]);
      await patch('less/scale', merge, { metadata: { resourceVersion: '1' }, spec: { replicas: 8 } });
      await patch('less/scale', 'application/strategic-merge-patch+json', { spec: { replicas: 8 } });
      await pair.send({ path: `${v1}/none/scale` });
      await pair.send({ method: 'DELETE', path: `${v1}/less/scale` });
    });

    compared('are the same objects in several versions (CREATE-29)', async () => {
      await pair.send({ path: `${v2}/full` }, { keepAs: 'full' });
      await pair.send({ path: `${v2}?fieldSelector=metadata.name%3Dfull` });
      await post(object('second', { name: 'second', maybe: 'e', masts: 3, mood: 'calm' }, 'v2beta1'), '', v2);
      await pair.send({ path: `${v1}/second` });
      await pair.send({ path: `${v2}/second` });
      await patch('second', merge, { spec: { mood: 'wild' } });
      await pair.send({ path: `${v2}/second` });
      await patch('second', merge, { spec: { maybe: 'f' } }, { path: v2 });
      await pair.send({ path: `${v1}/second` });
      await pair.send({ path: `${v2}/second/status` });
      await pair.send({ path: `${v2}/second/scale` });
      await pair.send({ path: `/apis/${testGroup}/v3/namespaces/default/boats` });
      await pair.send((side) => {
        const json = side.kept('full');
        json.spec = { name: 'changed' };
        return { method: 'PUT', path: `${v2}/full`, json };
      });
      await pair.send({ path: `${v1}/full` });
    });

    compared('are watched in each version', async () => {
      const watch = (path: string) => ({ path: `${path}?watch=1&timeoutSeconds=3&fieldSelector=metadata.name%3Dseen` });
      await pair.during(watch(v2), async () => {
        await pair.prepare({ method: 'POST', path: v1, json: object('seen', { name: 'seen' }) });
        await pair.prepare({
          method: 'PATCH',
          path: `${v2}/seen`,
          headers: { 'content-type': merge },
          body: '{"spec":{"maybe":"z"}}',
        });
        await pair.prepare({ method: 'DELETE', path: `${v2}/seen` });
      });
    });

    compared('are applied by the types of their lists', async () => {
      const crew = (...names: string[]) => names.map((name) => ({ name }));
      await apply('m1', 'sea', { name: 'sea', crew: crew('a', 'b'), tags: ['t'], atomic: { a: 'x' } });
      await apply('m2', 'sea', { crew: [{ name: 'b', rank: 'mate' }, { name: 'c' }], tags: ['u'], atomic: { b: 'y' } });
      await apply('m2', 'sea', { crew: [{ name: 'b', rank: 'mate' }, { name: 'c' }], tags: ['u'] });
      await apply('m1', 'sea', { name: 'sea', crew: crew('b') });
      await apply('m3', 'sea', { name: 'other' });
      await apply('m3', 'sea', { name: 'other' }, { query: '&force=true' });
      await apply('m4', 'sea', { maybe: 'w' }, { version: 'v2beta1', path: v2 });
      await apply('m4', 'sea', { maybe: 'v', mood: 'wild' }, { version: 'v2beta1', path: v2 });
      await pair.send({ path: `${v1}/sea` });
    });

    compared('keep values that a stricter schema refuses as long as they are unchanged (META-23)', async () => {
      await post(
        object('old', {
          name: 'old',
          labels: { a: 'b' },
          tags: ['x'],
          crew: [{ name: 'n', age: 4 }],
          atomic: { a: 'x' },
        }),
      );
      await pair.prepare({ path: `${definitions}/boats.${testGroup}` }, { keepAs: 'boats' });
      await pair.prepare((side) => {
        const json = side.kept('boats') as unknown as Json & { spec: { versions: { schema: Json }[] } };
        const schema = JSON.parse(JSON.stringify(json.spec.versions[0]?.schema));
        const { properties } = schema.openAPIV3Schema.properties.spec;
        properties.name.pattern = '^[A-Z]+$';
        properties.labels.maxProperties = 0;
        properties.tags.minItems = 2;
        properties.crew.items.properties.age.minimum = 18;
        properties.atomic.required = ['b'];
        properties.fresh = { type: 'string', default: 'fresh' };
        Object.assign(json.spec.versions[0] ?? {}, { schema });
        return { method: 'PUT', path: `${definitions}/boats.${testGroup}`, json };
      });
      for (const side of pair.sides) {
        while (!(await side.send({ path: `${v1}/old` })).text.includes('"fresh"'));
      }
      await pair.send({ path: `${v1}/old` });
      await patch('old', merge, { metadata: { labels: { x: 'y' } } });
      await patch('old', merge, { spec: { mood: 'wild' } });
      await patch('old', merge, { spec: { labels: { c: 'd' } } });
      await patch('old', merge, { spec: { tags: ['y'] } });
      await patch('old', merge, { spec: { name: 'new' } });
      await patch('old', merge, { spec: { atomic: { a: 'y' } } });
      await patch('old', merge, {
        spec: {
          crew: [
            { name: 'n', age: 4 },
            { name: 'm', age: 20 },
          ],
        },
      });
      await patch('old', merge, { spec: { crew: [{ name: 'n', age: 5 }] } });
    });
  });
}
