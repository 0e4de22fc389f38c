import { type JsonValue, objectAt } from '@flotilla/json';
import { ageColumn, column } from '../columns.ts';
import type { ResourceKind } from '../resource.ts';
import { asSchema, t } from '../schema/schema-builder.ts';

/** The kind Secret. The members of its schema are in the order of the Go struct. */
export const secretKind: ResourceKind = {
  group: '',
  version: 'v1',
  kind: 'Secret',
  plural: 'secrets',
  singular: 'secret',
  namespaced: true,
  builtIn: true,
  confidential: true,
  description: 'Confidential data such as passwords, keys and tokens. Encrypted at rest.',
  schema: asSchema(
    t.object({
      immutable: t.optional(
        t.boolean({
          description:
            'If true, the data of the secret cannot be changed. After it is set to true, it cannot be reset.',
        }),
      ),
      data: t.optional(
        t.map(t.string({ format: 'byte' }), {
          description: "Values by key, as base64. Keys consist of alphanumeric characters, '-', '_' and '.'.",
        }),
      ),
      stringData: t.optional(
        t.map(t.string(), {
          description: 'Text values that are merged into data and override existing values. Write-only.',
        }),
      ),
      type: t.optional(
        t.string({
          description: 'The type of the secret. Some types require certain keys in data. The type is immutable.',
        }),
      ),
    }),
  ),
  columns: [
    column('Type', 'type', { description: 'The type of the secret.' }),
    column('Data', (secret) => Object.keys(objectAt(secret as JsonValue, 'data') ?? {}).length, {
      type: 'integer',
      description: 'The number of keys.',
    }),
    ageColumn,
  ],
  selectableFields: ['type'],
};

export const secretTypes = {
  opaque: 'Opaque',
  serviceAccountToken: 'kubernetes.io/service-account-token',
  dockercfg: 'kubernetes.io/dockercfg',
  dockerConfigJson: 'kubernetes.io/dockerconfigjson',
  basicAuth: 'kubernetes.io/basic-auth',
  sshAuth: 'kubernetes.io/ssh-auth',
  tls: 'kubernetes.io/tls',
} as const;

/**
 * Annotations of a secret that contains a service account token: the name and the UID of the service account. The
 * controller that issues the token sets the UID.
 */
export const serviceAccountNameAnnotation = 'kubernetes.io/service-account.name';
export const serviceAccountUidAnnotation = 'kubernetes.io/service-account.uid';
