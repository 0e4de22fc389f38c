import { defineKind } from '../../define-kind.ts';
import { managementGroup, managementVersion } from '../../naming.ts';
import { type Static, t } from '../../schema/schema-builder.ts';
import { scopeSchema } from './scope.ts';

const schema = t.object({
  spec: t.optional(
    t.object(
      {
        ttl: t.optional(t.integer({ description: 'Lifetime of the token in seconds. Defaults to one hour.' })),
        scope: t.optional(scopeSchema),
      },
      { description: 'Parameters of the requested token.' },
    ),
  ),
  status: t.optional(
    t.object(
      { token: t.optional(t.string({ description: 'Bearer token for the direct endpoint.' })) },
      { description: 'Result of the request. Set by the server.' },
    ),
  ),
});

export type DirectClusterEndpointToken = Static<typeof schema>;

export const directClusterEndpointTokenKind = defineKind({
  group: managementGroup,
  version: managementVersion,
  kind: 'DirectClusterEndpointToken',
  plural: 'directclusterendpointtokens',
  singular: 'directclusterendpointtoken',
  namespaced: false,
  confidential: true,
  description:
    'A token for the direct endpoint of a connected cluster, which clients reach without going through this server.',
  schema,
});
