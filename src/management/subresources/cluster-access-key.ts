import { type AccessKey, accessKeyKind } from '../../api/management/v1/access-key.ts';
import { clusterKind } from '../../api/management/v1/cluster.ts';
import { clusterAccessKeyKind } from '../../api/management/v1/cluster-access-key.ts';
import { apiVersionOf } from '../../api/meta.ts';
import { agentUser, builtInClusterName, replacedKeysAnnotation } from '../../api/naming.ts';
import { groupResourceOf, typedObject } from '../../api/resource.ts';
import { badRequest, notFound } from '../../api/status.ts';
import { systemContext } from '../../controlplane/system-context.ts';
import type { RequestContext } from '../../registry/context.ts';
import type { KindStore } from '../../registry/kind-store.ts';
import type { MountedSubresource } from '../../registry/mounted-resource.ts';
import { creatorOf } from '../access-keys/access-key-creator.ts';
import { requireFreshLogin } from '../access-keys/fresh-login.ts';
import type { ManagementDependencies } from '../dependencies.ts';
import type { ManagementState } from '../state.ts';
import { computedObject } from './computed-object.ts';
import type { ServerAddress } from './instance-kube-config.ts';

export interface ClusterAccessKeyOptions extends Pick<ManagementDependencies, 'state' | 'settings' | 'clock'> {
  readonly accessKeys: Pick<KindStore, 'verbs'>;
  address(): ServerAddress;
}

/**
 * POST `clusters/<name>/accesskey`: creates an access key for the agent of the cluster. Returns the key only in this
 * response. The key has only the permissions that the agent needs. The previous key stays valid until the new key is
 * first used, so the agent always has a valid key. The key does not expire, so the caller needs a fresh login.
 */
export function clusterAccessKey(options: ClusterAccessKeyOptions): MountedSubresource {
  return {
    kind: clusterAccessKeyKind,
    verbs: {
      async createNamed(context, cluster, _sent, { dryRun }) {
        if (options.state.cluster(cluster) === undefined) throw notFound(groupResourceOf(clusterKind), cluster);
        if (cluster === builtInClusterName) throw badRequest(`the built-in cluster ${builtInClusterName} has no agent`);
        const change = 'creating an access key for an agent';
        requireFreshLogin({ resource: groupResourceOf(clusterKind), name: cluster, change }, context, options);
        const { root, authority } = options.address();
        const created = await options.accessKeys.verbs.create(
          systemContext(''),
          keyFor(cluster, context, options.state),
          {
            dryRun,
            fieldManager: 'flotilla',
            fieldValidation: 'Ignore',
          },
        );
        return computedObject(
          clusterAccessKeyKind,
          { name: cluster },
          {
            ...(dryRun ? {} : { accessKey: typedObject(accessKeyKind, created.object).spec?.key ?? '' }),
            managementHost: root.slice(0, root.lastIndexOf('/')),
            ...(authority === undefined ? {} : { caCert: authority }),
          },
        );
      },
    },
  };
}

function keyFor(
  cluster: string,
  context: RequestContext,
  state: Pick<ManagementState, 'accessKeysOf' | 'accessKey'>,
): AccessKey {
  const subject = agentUser(cluster);
  const existing = [...state.accessKeysOf('subject', subject)].map(({ metadata }) => metadata.name ?? '');
  return {
    apiVersion: apiVersionOf(accessKeyKind),
    kind: accessKeyKind.kind,
    metadata: {
      generateName: `agent-${cluster}-`,
      ...(existing.length === 0 ? {} : { annotations: { [replacedKeysAnnotation]: existing.join(',') } }),
    },
    spec: { type: 'Other', subject, displayName: `Agent of cluster ${cluster}`, ...creatorOf(context, state) },
  };
}
