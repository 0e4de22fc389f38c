import { defineKind } from '../../../define-kind.ts';
import { managementGroup, managementVersion } from '../../../naming.ts';
import type { ObjectOf } from '../../../resource.ts';
import { type Static, t } from '../../../schema/schema-builder.ts';

const credentialKinds = ['Secret', 'Token'] as const;

const credential = t.object({
  kind: t.enumOf(credentialKinds, {
    description:
      'Secret: a Secret with the token of a service account. Token: all tokens of a service account that one user or team requested without a Secret, if the gateway has accepted one of them.',
  }),
  namespace: t.string({ description: 'Namespace inside the virtual cluster.' }),
  name: t.string({ description: 'Name of the Secret, or of the service account of the tokens.' }),
  serviceAccount: t.string({ description: 'Service account that the credential authenticates as.' }),
  maker: t.optional(
    t.string({
      description: 'User or team that created the credential. Absent if the virtual cluster does not record it.',
    }),
  ),
  created: t.optional(
    t.timestamp({ description: 'Time at which the token, or the newest of the tokens, was issued.' }),
  ),
  lastUsed: t.optional(
    t.timestamp({
      description: 'Time of the last use at the gateway, accurate to about a minute. Absent if no use is recorded.',
    }),
  ),
  expires: t.optional(
    t.timestamp({
      description:
        'Time at which the gateway stops accepting the token, or the last of the tokens. Absent if it does not expire.',
    }),
  ),
});

const spec = t.object(
  {
    revoke: t.optional(
      t.array(
        t.object({
          kind: t.optional(
            t.enumOf(credentialKinds, {
              description:
                'Secret (the default): the Secret is deleted. Token: the gateway rejects all tokens of the service account that were issued until now, and its Secrets with tokens are deleted.',
            }),
          ),
          namespace: t.string({ minLength: 1, maxLength: 63, description: 'Namespace inside the virtual cluster.' }),
          name: t.string({
            minLength: 1,
            maxLength: 253,
            description: 'Name of the Secret or of the service account.',
          }),
        }),
        { listType: 'atomic', maxItems: 1000, description: 'Credentials to revoke.' },
      ),
    ),
    revokeAll: t.optional(
      t.boolean({
        description:
          'If true, the gateway rejects all service account tokens that were issued until now, listed or not, and the Secrets with tokens are deleted.',
      }),
    ),
  },
  { description: 'The credentials to revoke.' },
);

const schema = t.object({
  spec: t.optional(spec),
  revokedBefore: t.optional(
    t.timestamp({
      description:
        'The gateway rejects all service account tokens that were issued before this time. Absent if the credentials were never revoked all at once.',
    }),
  ),
  credentials: t.optional(
    t.array(credential, {
      listType: 'atomic',
      description:
        'Credentials of service accounts that give access to the virtual cluster through the gateway. In the response to a POST: those that were revoked.',
    }),
  ),
});

export type InstanceCredential = Static<typeof credential>;
/** An entry of `spec.revoke`. */
export type CredentialRevocation = NonNullable<Static<typeof spec>['revoke']>[number];

export const virtualClusterInstanceCredentialsKind = defineKind({
  group: managementGroup,
  version: managementVersion,
  kind: 'VirtualClusterInstanceCredentials',
  plural: 'virtualclusterinstancecredentials',
  singular: 'virtualclusterinstancecredentials',
  namespaced: true,
  description: 'The lasting credentials of service accounts that give access to a virtual cluster through the gateway.',
  schema,
});

export type VirtualClusterInstanceCredentials = ObjectOf<typeof virtualClusterInstanceCredentialsKind>;
