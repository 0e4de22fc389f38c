import { onBothPaths } from '@flotilla/fast-paths/fast-paths.fixture.ts';
import { cloneJson, type JsonObject } from '@flotilla/json';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Definition, SchemaProps } from '../../api/apiextensions/definition.ts';
import type { KubeObject } from '../../api/meta.ts';
import type { Schema } from '../../api/schema/schema.ts';
import { orderedText, resources, schemaOf } from '../../api/schema/schema-arbitraries.fixture.ts';
import type { ServedForm } from '../../registry/resource.ts';
import { customVersions } from './custom-versions.ts';

const names = { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' };

/** Returns the conversion to the first version. The second version is the stored version. */
function servedForm(served: Schema, stored: Schema): ServedForm {
  const version = (name: string, schema: Schema, storage: boolean) => ({
    name,
    served: true,
    storage,
    schema: { openAPIV3Schema: schema as SchemaProps },
  });
  const versions = [version('v1', served, false), version('v2', stored, true)];
  const definition: Definition = {
    metadata: { name: 'things.test.example' },
    spec: { group: 'test.example', names, scope: 'Namespaced', versions },
    status: {},
  };
  const [first] = customVersions(definition, { names, terminating: false });
  if (first?.resource.form === undefined) throw new Error('the version has no form');
  return first.resource.form;
}

it('a custom resource has the same served form on the plain path and on the fast path', () => {
  let skipped = 0;
  fc.assert(
    fc.property(schemaOf(2), schemaOf(2), resources, fc.boolean(), (served, stored, object, isStored) => {
      const form = servedForm(served, stored);
      const sent = { ...object, apiVersion: `test.example/${isStored ? 'v2' : 'v1'}` } as JsonObject;
      const { plain, fast } = onBothPaths(() => {
        const copy = cloneJson(sent) as KubeObject & JsonObject;
        const isConverted = form.isConverted(copy);
        if (isConverted) skipped++;
        return orderedText((isConverted ? copy : form.convert(copy)) as JsonObject);
      });
      expect(fast).toBe(plain);
    }),
    { numRuns: 1_000 },
  );
  expect(skipped).toBeGreaterThan(50);
});
