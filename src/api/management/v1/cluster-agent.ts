import { type Static, t } from '../../schema/schema-builder.ts';

const release = t.object(
  {
    name: t.string({ description: 'Name of the Helm release.' }),
    namespace: t.string({ description: 'Namespace of the Helm release.' }),
  },
  { description: 'Helm release that runs the agent. Absent if the agent runs in another way.' },
);

const agent = t.object({
  name: t.string({ description: 'Name of the access key of the agent.' }),
  hostname: t.optional(t.string({ description: 'Host name of the machine or pod in which the agent runs.' })),
  keyFingerprint: t.optional(
    t.string({ description: 'Fingerprint of the public key of the agent. Absent if the agent uses an access key.' }),
  ),
  joinedAt: t.optional(t.timestamp({ description: 'Time at which the agent joined with a join token.' })),
  connected: t.optional(
    t.boolean({
      description:
        'True if the agent is connected to the server. False at the latest 13 minutes after the server to which it was connected has crashed.',
    }),
  ),
  lastSeen: t.optional(
    t.timestamp({
      description:
        'Time at which the agent was last connected. Updated every five minutes while the agent is connected.',
    }),
  ),
  version: t.optional(t.string({ description: 'Version of the agent.' })),
  upgradeAvailable: t.optional(
    t.string({ description: 'Version of the server. Absent if the agent is not older than the server.' }),
  ),
  clusterUID: t.optional(
    t.string({
      description: 'UID of the namespace kube-system of the cluster of the agent. Absent without a tunnel.',
    }),
  ),
  readOnly: t.optional(
    t.boolean({ description: 'True if the agent permits only what imported virtual clusters need.' }),
  ),
  release: t.optional(release),
  roundTripMilliseconds: t.optional(
    t.integer({
      description: 'Round trip time between the server and the agent. Absent without a tunnel.',
    }),
  ),
  kilobytesPerSecond: t.optional(
    t.integer({
      description:
        'Highest throughput in the tunnels of the agent over ten seconds, in one direction. Only real transfers are measured, so the bandwidth can be higher. Absent until a transfer has been measured.',
    }),
  ),
});

/** `status.agents` of a cluster. */
export const clusterAgentsSchema = t.array(agent, {
  description: 'Agents of the cluster, with one entry per access key. Absent if none has connected.',
  mapKeys: ['name'],
});

/** An agent in the status of its cluster. */
export type ClusterAgent = Static<typeof agent>;
