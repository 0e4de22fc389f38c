import { agentPaths } from '../../../api/agent/policy-feed.ts';
import { clusterKind } from '../../../api/management/v1/cluster.ts';
import { clusterOfAgentUser } from '../../../api/naming.ts';
import { type AuthorizationSubject, isAdmin } from '../subject.ts';
import type { AccessGrants } from './object-grants.ts';

/**
 * Returns the access of the agent of a cluster: only the API for agents, which is not in the permission table.
 * `undefined` for other subjects.
 */
export function agentGrants({ user }: AuthorizationSubject): AccessGrants | undefined {
  const cluster = isAdmin(user) ? undefined : clusterOfAgentUser(user.name);
  if (cluster === undefined) return undefined;
  return {
    resource: clusterKind.plural,
    namespace: '',
    name: cluster,
    verbs: [],
    subresources: Object.values(agentPaths).map((path) => `agent/${path}`),
    via: ['agent of the cluster: reads the policy of its virtual clusters, and forwards requests to them'],
  };
}
