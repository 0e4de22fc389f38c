import { defineKind } from '../../../define-kind.ts';
import { managementGroup, managementVersion } from '../../../naming.ts';
import { type Static, t } from '../../../schema/schema-builder.ts';

/**
 * The maximum number of agents for one join token. With two tunnels per agent, this number of agents uses half of the
 * tunnels that a cluster may have.
 */
const maxAgentsPerToken = 8;

const spec = t.object(
  {
    replace: t.optional(
      t.boolean({
        description:
          'If true, the keys of the agents of the cluster and older join tokens are revoked at once. If an agent has already joined, either this field or add is required.',
      }),
    ),
    add: t.optional(
      t.boolean({
        description:
          'If true, the token adds agents to the cluster, and agents that have already joined keep their keys.',
      }),
    ),
    agents: t.optional(
      t.integer({
        description: 'Number of agents that may join with the token, each with a key of its own. Defaults to 1.',
        minimum: 1,
        maximum: maxAgentsPerToken,
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
    expires: t.optional(
      t.timestamp({ description: 'Time at which the token expires unless agents have used it before.' }),
    ),
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
  description: 'A token with which agents can join a connected cluster within an hour.',
  schema,
});
