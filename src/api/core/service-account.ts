import { ageColumn } from '../columns.ts';
import type { ResourceKind } from '../resource.ts';
import { asSchema, t } from '../schema/schema-builder.ts';
import { objectReferenceSchema } from './event-schema.ts';

/** The name of the service account that the server creates in every namespace. */
export const defaultServiceAccount = 'default';

/** The kind ServiceAccount. The members of its schema are in the order of the Go struct. */
export const serviceAccountKind: ResourceKind = {
  group: '',
  version: 'v1',
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  singular: 'serviceaccount',
  shortNames: ['sa'],
  namespaced: true,
  builtIn: true,
  description: 'An identity for programs that use the API of this cluster.',
  schema: asSchema(
    t.object({
      secrets: t.optional(
        t.array(objectReferenceSchema('A reference to a secret by name.'), {
          mapKeys: ['name'],
          patchStrategy: 'merge',
          patchMergeKey: 'name',
          description: 'Secrets that programs with this account may use.',
        }),
      ),
      imagePullSecrets: t.optional(
        t.array(
          t.object({ name: t.optional(t.string({ description: 'The name of the secret.' })) }, { atomic: true }),
          { listType: 'atomic', description: 'Secrets for pulling images.' },
        ),
      ),
      automountServiceAccountToken: t.optional(
        t.boolean({
          description: 'True if pods that use this service account get a token automatically. Defaults to true.',
        }),
      ),
    }),
  ),
  columns: [ageColumn],
};

/** Returns the user name of the service account in its own control plane. */
export function serviceAccountUser(namespace: string, name: string): string {
  return `system:serviceaccount:${namespace}:${name}`;
}

export function serviceAccountGroups(namespace: string): readonly string[] {
  return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'];
}
