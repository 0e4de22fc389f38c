import { defineKind } from '../../../define-kind.ts';
import { managementGroup, managementVersion } from '../../../naming.ts';
import { type Static, t } from '../../../schema/schema-builder.ts';

const spec = t.object(
  {
    replace: t.optional(
      t.boolean({
        description:
          'If true, the keys of the agents of the cluster and older join tokens end at once. Required if an agent has joined already.',
      }),
    ),
  },
  { description: 'Request for a join token.' },
);

const status = t.object(
  {
    token: t.optional(
      t.string({ description: 'Join token of the agent, with the address and the CA certificates of this server.' }),
    ),
    expires: t.optional(t.timestamp({ description: 'Time at which the token expires if no agent has used it.' })),
  },
  { description: 'Created join token.' },
);

const schema = t.object({ spec: t.optional(spec), status: t.optional(status) });

export type ClusterJoinToken = Static<typeof schema>;

export const clusterJoinTokenKind = defineKind({
  group: managementGroup,
  version: managementVersion,
  kind: 'ClusterJoinToken',
  plural: 'clusterjointokens',
  singular: 'clusterjointoken',
  namespaced: false,
  confidential: true,
  description: 'A token with which one agent can join a connected cluster within an hour.',
  schema,
});
