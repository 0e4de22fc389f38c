import { defineKind } from '../../define-kind.ts';
import { managementGroup, managementVersion } from '../../naming.ts';
import type { ObjectOf } from '../../resource.ts';
import { type Static, t } from '../../schema/schema-builder.ts';
import { scopeSchema } from './scope.ts';

const entity = t.object({
  name: t.string({ description: 'Name of the object.' }),
  displayName: t.optional(t.string({ description: 'Human-readable name.' })),
});

const status = t.object(
  {
    user: t.optional(
      t.object(
        {
          name: t.string({ description: 'Name of the user.' }),
          username: t.optional(t.string({ description: 'Name that the user logs in with.' })),
          displayName: t.optional(t.string({ description: 'Human-readable name.' })),
          email: t.optional(t.string({ description: 'Email address of the user.' })),
          teams: t.optional(t.array(entity, { description: 'Teams that the user is a member of.' })),
        },
        { description: 'The user that the caller is authenticated as. Absent if the caller is not a user.' },
      ),
    ),
    team: t.optional(entity),
    accessKey: t.optional(t.string({ description: 'Name of the access key that the request used.' })),
    accessKeyType: t.optional(t.string({ description: 'Type of the access key that the request used.' })),
    accessKeyScope: t.optional(scopeSchema),
    subject: t.optional(t.string({ description: 'User name with which the caller is known to clusters.' })),
    groups: t.optional(t.array(t.string(), { description: 'Groups of the caller.' })),
    instanceID: t.optional(t.string({ description: 'Unique identifier of this installation.' })),
    projectNamespacePrefix: t.optional(
      t.string({
        description:
          'Prefix of project namespaces. The namespace of a project is the prefix followed by the name of the project.',
      }),
    ),
  },
  { description: 'Result of the request. Set by the server.' },
);

const schema = t.object({
  spec: t.optional(t.object({}, { description: 'An empty object, because the request has no parameters.' })),
  status: t.optional(status),
});

export type SelfStatus = Static<typeof status>;

export const selfKind = defineKind({
  group: managementGroup,
  version: managementVersion,
  kind: 'Self',
  plural: 'selves',
  singular: 'self',
  namespaced: false,
  description: 'The identity of the caller.',
  schema,
});

export type Self = ObjectOf<typeof selfKind>;
