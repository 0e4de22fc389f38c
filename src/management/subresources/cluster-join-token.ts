import { writeJoinToken } from '../../api/agent/join-token.ts';
import { type AccessKey, accessKeyKind } from '../../api/management/v1/access-key.ts';
import { clusterKind } from '../../api/management/v1/cluster.ts';
import { clusterJoinTokenKind } from '../../api/management/v1/subresources/cluster-join-token.ts';
import { apiVersionOf, timestamp } from '../../api/meta.ts';
import {
  agentAnnouncementDigestAnnotation,
  agentUser,
  builtInClusterName,
  replacedKeysAnnotation,
} from '../../api/naming.ts';
import { groupResourceOf, typedObject } from '../../api/resource.ts';
import { validateSchema } from '../../api/schema/validate.ts';
import { badRequest, conflict, invalidObject, notFound, StatusError } from '../../api/status.ts';
import { systemContext } from '../../controlplane/system-context.ts';
import type { RequestContext } from '../../registry/context.ts';
import type { KindStore } from '../../registry/kind-store.ts';
import type { MountedSubresource } from '../../registry/mounted-resource.ts';
import { creatorOf } from '../access-keys/access-key-creator.ts';
import { isAgentKey, isJoinToken } from '../access-keys/agent-keys.ts';
import { requireFreshLogin } from '../access-keys/fresh-login.ts';
import type { ManagementDependencies } from '../dependencies.ts';
import { computedObject } from './computed-object.ts';
import type { ServerAddress } from './instance-kube-config.ts';

export interface ClusterJoinTokenOptions extends Pick<ManagementDependencies, 'state' | 'settings' | 'clock'> {
  readonly accessKeys: Pick<KindStore, 'verbs'>;
  readonly clusters: Pick<KindStore, 'verbs' | 'status'>;
  /** The unique ID of this installation. */
  readonly instanceId: string;
  address(): ServerAddress;
}

const kind = clusterJoinTokenKind;
const lifetimeSeconds = 3600;

/**
 * POST `clusters/<name>/jointoken`: creates a token with which agents join. Returns the token only in this response. A
 * cluster has at most one join token. If an agent has joined already, the request must state whether new agents are
 * added to the existing agents or replace them. The keys of replaced agents are revoked at once. The access key of an
 * agent without a key pair is revoked when a new agent has joined.
 */
export function clusterJoinToken(options: ClusterJoinTokenOptions): MountedSubresource {
  const { state, accessKeys, clock } = options;
  return {
    kind,
    verbs: {
      async createNamed(context, cluster, sent, { dryRun }) {
        const errors = validateSchema(kind.schema, sent, '');
        if (errors.length > 0) throw invalidObject(kind, cluster, [...errors]);
        const spec = typedObject(kind, sent).spec ?? {};
        const { replace = false, add = false, agents = 1 } = spec;
        if (state.cluster(cluster) === undefined) throw notFound(groupResourceOf(clusterKind), cluster);
        if (cluster === builtInClusterName) throw badRequest(`the built-in cluster ${builtInClusterName} has no agent`);
        const change = 'creating a join token for an agent';
        requireFreshLogin({ resource: groupResourceOf(clusterKind), name: cluster, change }, context, options);
        if (replace && add) throw badRequest('spec.replace and spec.add are mutually exclusive');
        const existing = [...state.accessKeysOf('subject', agentUser(cluster))];
        const joined = existing.find(isAgentKey);
        const builtIn = existing.find(({ spec }) => spec?.agentKey?.host === 'built-in');
        if (builtIn !== undefined && add) throw containsCluster(cluster, builtIn);
        if (joined !== undefined && !replace && !add) throw alreadyJoined(cluster, joined);
        if (!dryRun) {
          const ended = replace ? existing : existing.filter(isJoinToken);
          for (const key of ended) await endKey(key, accessKeys);
          if (replace) await removeAgentsFromStatus(cluster, options);
        }
        // The access key of an existing agent ends when the new agent has joined, unless the new agent is added to the
        // existing agents.
        const replaced = replace || add ? [] : existing.filter((key) => !isJoinToken(key));
        const created = await accessKeys.verbs.create(
          systemContext(''),
          keyFor({ cluster, replaced, agents }, context, options),
          {
            dryRun,
            fieldManager: 'flotilla',
            fieldValidation: 'Ignore',
          },
        );
        const secret = typedObject(accessKeyKind, created.object).spec?.key ?? '';
        const status = {
          ...(dryRun ? {} : { token: tokenOf(secret, cluster, options) }),
          expires: timestamp(clock.now() + lifetimeSeconds * 1000),
        };
        return computedObject(kind, { name: cluster }, { spec: { ...spec, replace }, status });
      },
    },
  };
}

function tokenOf(secret: string, cluster: string, { instanceId, address }: ClusterJoinTokenOptions): string {
  const { root, authority } = address();
  const { origin, pathname } = new URL(root);
  return writeJoinToken({
    server: origin,
    ...(authority === undefined ? {} : { authority }),
    apiPrefix: pathname.slice(1),
    installation: instanceId,
    cluster,
    secret,
  });
}

function alreadyJoined(cluster: string, { spec }: AccessKey): StatusError {
  const { fingerprint = '', joinedAt = '' } = spec?.agentKey ?? {};
  return conflict(
    groupResourceOf(clusterKind),
    cluster,
    `an agent with the key ${fingerprint} joined at ${joinedAt}; set spec.add to true to let further agents join (flotilla cluster add-agent ${cluster}), or spec.replace to true to revoke the keys of all agents and let another agent join (flotilla cluster rejoin ${cluster})`,
  );
}

function containsCluster(cluster: string, { spec }: AccessKey): StatusError {
  const { fingerprint = '' } = spec?.agentKey ?? {};
  return conflict(
    groupResourceOf(clusterKind),
    cluster,
    `the agent with the key ${fingerprint} runs the cluster itself (--built-in), so no other agent can serve it; set spec.replace to true to let another agent replace it (flotilla cluster rejoin ${cluster})`,
  );
}

interface RequestedToken {
  readonly cluster: string;
  /** The access keys that end when an agent has joined. */
  readonly replaced: readonly AccessKey[];
  /** The number of agents that may join. */
  readonly agents: number;
}

function keyFor(
  { cluster, replaced, agents }: RequestedToken,
  context: RequestContext,
  { state }: Pick<ClusterJoinTokenOptions, 'state'>,
): AccessKey {
  const names = replaced.map(({ metadata }) => metadata.name ?? '').join(',');
  return {
    apiVersion: apiVersionOf(accessKeyKind),
    kind: accessKeyKind.kind,
    metadata: {
      generateName: `agent-${cluster}-`,
      ...(names === '' ? {} : { annotations: { [replacedKeysAnnotation]: names } }),
    },
    spec: {
      type: 'AgentJoin',
      subject: agentUser(cluster),
      ttl: lifetimeSeconds,
      displayName: `Agent of cluster ${cluster}`,
      ...(agents === 1 ? {} : { agentJoin: { agents, joined: [] } }),
      ...creatorOf(context, state),
    },
  };
}

/**
 * Removes the agents and the digest of their announcements from the status of their cluster. The first agent that joins
 * then gets a new credential of the server, because the former agents know the old one.
 */
async function removeAgentsFromStatus(cluster: string, { clusters }: ClusterJoinTokenOptions): Promise<void> {
  const how = { dryRun: false, fieldManager: 'flotilla', fieldValidation: 'Ignore', force: false } as const;
  const metadata = { annotations: { [agentAnnouncementDigestAnnotation]: null } };
  await clusters.verbs.patch(systemContext(''), cluster, { type: 'merge', document: { metadata }, findings: [] }, how);
  const status = { agents: null };
  await clusters.status?.patch(systemContext(''), cluster, { type: 'merge', document: { status }, findings: [] }, how);
}

/**
 * Deletes a key. A join token with which an agent is joining now is not deleted; the caller gets 409, which reports
 * that the agent has joined.
 */
async function endKey(key: AccessKey, accessKeys: ClusterJoinTokenOptions['accessKeys']): Promise<void> {
  const { name = '', uid = '', resourceVersion = '' } = key.metadata;
  const preconditions = isJoinToken(key) ? { uid, resourceVersion } : { uid };
  const how = { dryRun: false, gracePeriodSeconds: undefined, propagationPolicy: undefined, preconditions };
  try {
    await accessKeys.verbs.delete(systemContext(''), name, how);
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 404) throw error;
  }
}
