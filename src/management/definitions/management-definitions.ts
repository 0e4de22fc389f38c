import { customResourceDefinitionKind } from '../../api/apiextensions/custom-resource-definition.ts';
import { ownedAccessKeyKind } from '../../api/management/v1/access-key.ts';
import type { KubeObject } from '../../api/meta.ts';
import { defineResource, type StoredResource } from '../../registry/resource.ts';
import { definitionOfKind } from './definition-of-kind.ts';

/**
 * The kind CustomResourceDefinition in the management API. Tools such as Terraform read the schemas of kinds from these
 * objects. Clients cannot define kinds with them.
 */
export const readOnlyDefinitions: StoredResource = defineResource({
  ...customResourceDefinitionKind,
  hasStatus: true,
  verbs: ['get', 'list', 'watch'],
});

/**
 * Returns the definitions of the stored kinds of the management API, and of the kinds that are views of stored kinds.
 * Kinds of Kubernetes, such as Secrets, have no definition.
 */
export function managementDefinitions(resources: readonly StoredResource[]): readonly KubeObject[] {
  return [
    ...resources.filter(({ builtIn }) => builtIn !== true).map((resource) => definitionOfKind(resource, resource)),
    definitionOfKind(ownedAccessKeyKind, { hasStatus: true }),
  ];
}
