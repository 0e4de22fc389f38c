import { type JsonObject, type JsonValue, listAt, textAt, valueAt } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import { definitionOf } from '../../api/apiextensions/definition.ts';
import { definitionErrors } from '../../api/apiextensions/definition-errors.ts';
import { normalizeSchema } from '../../api/apiextensions/normalize-schema.ts';
import type { KubeObject } from '../../api/meta.ts';
import { openManagementTestEnv } from '../management.fixture.ts';
import { managementDefinitions } from './management-definitions.ts';

async function definitions(): Promise<readonly KubeObject[]> {
  const { plane } = await openManagementTestEnv();
  return managementDefinitions([...plane.stores()].map(({ resource }) => resource));
}

describe('the definitions of the management kinds (completions §7)', () => {
  it('are valid CustomResourceDefinitions of all kinds that can be read', async () => {
    const all = await definitions();
    expect(all.map(({ metadata }) => metadata.name).sort()).toEqual(
      [
        'accesskeys',
        'clusters',
        'ownedaccesskeys',
        'pricelists',
        'projects',
        'projectwebhooks',
        'spaceinstances',
        'spacetemplates',
        'teams',
        'users',
        'virtualclusterinstances',
        'virtualclustertemplates',
      ].map((plural) => `${plural}.management.platform.sh`),
    );
    for (const definition of all) {
      const errors = await definitionErrors(definitionOf(definition), undefined, {
        ruleErrors: async () => [],
        yieldToEventLoop: undefined,
      });
      expect(errors, definition.metadata.name ?? '').toEqual([]);
    }
  });

  it('lose no keyword of a schema', async () => {
    const { plane } = await openManagementTestEnv();
    for (const { resource } of plane.stores()) {
      if (resource.group !== 'management.platform.sh') continue;
      const unknown: string[] = [];
      normalizeSchema(resource.schema as JsonValue, resource.kind, unknown);
      expect(unknown).toEqual([]);
    }
  });

  it('describe names, scope, columns, fields and the status subresource', async () => {
    const all = (await definitions()) as readonly JsonValue[];
    const instance = all.find((one) => textAt(one, 'spec', 'names', 'kind') === 'VirtualClusterInstance') ?? null;
    expect(instance).toMatchObject({
      spec: {
        scope: 'Namespaced',
        names: { shortNames: ['vci'], listKind: 'VirtualClusterInstanceList', categories: ['platform'] },
        versions: [{ name: 'v1', served: true, storage: true, subresources: { status: {} } }],
      },
      status: { storedVersions: ['v1'], acceptedNames: { plural: 'virtualclusterinstances' } },
    });
    const [version = null] = listAt(instance, 'spec', 'versions');
    const schema = valueAt(version, 'schema', 'openAPIV3Schema', 'properties', 'spec', 'properties');
    expect(Object.keys(schema as JsonObject)).toContain('templateRef');
    const columns = listAt(version, 'additionalPrinterColumns').map((column) => textAt(column, 'jsonPath'));
    expect(columns).toContain('.status.phase');
    expect(listAt(version, 'selectableFields')).toContainEqual({ jsonPath: '.spec.owner.user' });
    const team = all.find((one) => textAt(one, 'spec', 'names', 'kind') === 'Team') ?? null;
    expect(listAt(team, 'spec', 'versions')[0]).not.toHaveProperty('subresources');
  });
});
