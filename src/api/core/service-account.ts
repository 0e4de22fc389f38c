import { ageColumn } from '../columns.ts';
import type { ResourceKind } from '../resource.ts';
import { asSchema, t } from '../schema/build.ts';
import { objectReference } from './event-schema.ts';

/** The service account that every namespace has. */
export const defaultServiceAccount = 'default';

/** Members are in the order of the Go struct. */
export const serviceAccountKind: ResourceKind = {
  group: '',
  version: 'v1',
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  singular: 'serviceaccount',
  shortNames: ['sa'],
  namespaced: true,
  builtIn: true,
  description: 'Who a program is to the API of this cluster.',
  schema: asSchema(
    t.object({
      secrets: t.optional(
        t.array(objectReference('A secret, by its name.'), {
          mapKeys: ['name'],
          patchStrategy: 'merge',
          patchMergeKey: 'name',
          description: 'Secrets that programs of this account may use.',
        }),
      ),
      imagePullSecrets: t.optional(
        t.array(
          t.object({ name: t.optional(t.string({ description: 'The name of the secret.' })) }, { atomic: true }),
          { listType: 'atomic', description: 'Secrets with which images are fetched.' },
        ),
      ),
      automountServiceAccountToken: t.optional(
        t.boolean({ description: 'Whether programs of this account get a token without asking. Absent: they do.' }),
      ),
    }),
  ),
  columns: [ageColumn],
};

/** The user name of the account's tokens, in its own control plane. */
export function serviceAccountUser(namespace: string, name: string): string {
  return `system:serviceaccount:${namespace}:${name}`;
}

export function serviceAccountGroups(namespace: string): readonly string[] {
  return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'];
}
