import { objectAt } from '../../lib/json-path.ts';
import type { JsonValue } from '../../lib/json-value.ts';
import { ageColumn, column } from '../columns.ts';
import type { ResourceKind } from '../resource.ts';
import { asSchema, t } from '../schema/build.ts';

/** Members are in the order of the Go struct. */
export const secretKind: ResourceKind = {
  group: '',
  version: 'v1',
  kind: 'Secret',
  plural: 'secrets',
  singular: 'secret',
  namespaced: true,
  builtIn: true,
  confidential: true,
  description: 'What only some may know: passwords, keys, tokens. Sealed where it is stored.',
  schema: asSchema(
    t.object({
      immutable: t.optional(
        t.boolean({ description: 'Once true, nothing but metadata can be changed, and it stays true.' }),
      ),
      data: t.optional(
        t.map(t.string({ format: 'byte' }), {
          description: "Bytes by key, as base64. Keys are alphanumeric characters, '-', '_' and '.'.",
        }),
      ),
      stringData: t.optional(
        t.map(t.string(), { description: 'Texts that are put into data, over what stands there. Never shown.' }),
      ),
      type: t.optional(
        t.string({ description: 'What it is for; some types ask for certain keys. Cannot be changed.' }),
      ),
    }),
  ),
  columns: [
    column('Type', 'type', { description: 'What it is for.' }),
    column('Data', (secret) => Object.keys(objectAt(secret as JsonValue, 'data') ?? {}).length, {
      type: 'integer',
      description: 'How many keys it has.',
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

/** The service account of a token secret. The controller that creates the token sets the second annotation. */
export const serviceAccountNameAnnotation = 'kubernetes.io/service-account.name';
export const serviceAccountUidAnnotation = 'kubernetes.io/service-account.uid';
