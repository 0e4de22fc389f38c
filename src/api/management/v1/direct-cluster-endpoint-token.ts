import { defineKind } from '../../define-kind.ts';
import { managementGroup, managementVersion } from '../../naming.ts';
import { type Static, t } from '../../schema/build.ts';
import { scopeSchema } from './scope.ts';

const schema = t.object({
  spec: t.optional(
    t.object(
      {
        ttl: t.optional(t.integer({ description: 'Lifetime of the token in seconds; absent: one hour.' })),
        scope: t.optional(scopeSchema),
      },
      { description: 'The token that is asked for.' },
    ),
  ),
  status: t.optional(
    t.object({ token: t.optional(t.string({ description: 'The token.' })) }, { description: 'The answer.' }),
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
  description: 'A token that connects to a connected cluster directly, without this server in between.',
  schema,
});
