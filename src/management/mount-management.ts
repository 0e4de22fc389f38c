import { configMapKind } from '../api/core/config-map.ts';
import { secretKind } from '../api/core/secret.ts';
import { accessKeyKind } from '../api/management/v1/access-key.ts';
import { clusterKind } from '../api/management/v1/cluster.ts';
import { emptyKinds } from '../api/management/v1/empty-kinds.ts';
import { projectWebhookKind } from '../api/management/v1/notifications/project-webhook.ts';
import { projectKind } from '../api/management/v1/project.ts';
import { spaceInstanceKind } from '../api/management/v1/space-instance.ts';
import { spaceTemplateKind } from '../api/management/v1/space-template.ts';
import { teamKind } from '../api/management/v1/team.ts';
import { priceListKind } from '../api/management/v1/usage/price-list.ts';
import { userKind } from '../api/management/v1/user.ts';
import { virtualClusterInstanceKind } from '../api/management/v1/virtual-cluster-instance.ts';
import { virtualClusterTemplateKind } from '../api/management/v1/virtual-cluster-template.ts';
import { groupResourceOf } from '../api/resource.ts';
import { notFound } from '../api/status.ts';
import type { KindStore } from '../registry/kind-store.ts';
import { type KindStores, storeOf } from '../registry/kind-stores.ts';
import type { MountedResource } from '../registry/mounted-resource.ts';
import { mountStoredKind } from '../registry/verbs/stored-verbs.ts';
import { removeSecondFactorOfUser } from './accounts/remove-second-factor.ts';
import { resetPassword } from './accounts/reset-password.ts';
import { activityRecords } from './activity/activity-records.ts';
import { type InstanceCredentialsOptions, instanceCredentials } from './credentials/instance-credentials.ts';
import type { ManagementDependencies } from './dependencies.ts';
import { effectiveAccessReviews } from './effective-access/effective-access-reviews.ts';
import { notificationReviews } from './notifications/notification-reviews.ts';
import { offboardUser } from './offboarding/offboard-user.ts';
import { clusterAccessKey } from './subresources/cluster-access-key.ts';
import { clusterJoinToken } from './subresources/cluster-join-token.ts';
import { type ClusterVirtualClustersOptions, clusterVirtualClusters } from './subresources/cluster-virtual-clusters.ts';
import { type DirectTokensOptions, directClusterEndpointTokens } from './subresources/direct-tokens.ts';
import { importSpace } from './subresources/import-space.ts';
import { importVirtualCluster } from './subresources/import-virtual-cluster.ts';
import {
  type InstanceKubeConfigOptions,
  instanceKubeConfig,
  spaceKubeConfig,
} from './subresources/instance-kube-config.ts';
import { instanceLog } from './subresources/instance-log.ts';
import { teamAccessKeys, userAccessKeys } from './subresources/principal-access-keys.ts';
import { projectClusters, projectMembers, projectTemplates } from './subresources/project-subresources.ts';
import { selves } from './subresources/selves.ts';
import { type UsageResourcesOptions, usageResources } from './usage/usage-resources.ts';
import { emptyResource } from './views/empty-resource.ts';
import { extendedInstances } from './views/extended-instances.ts';
import { ownedAccessKeys } from './views/owned-access-keys.ts';
import { testWebhook } from './webhooks/test-webhook.ts';

export interface MountOptions
  extends ManagementDependencies,
    Pick<DirectTokensOptions, 'signer'>,
    Pick<InstanceKubeConfigOptions, 'sign' | 'address' | 'hasGateway'>,
    Pick<ClusterVirtualClustersOptions, 'hostOf'>,
    Pick<InstanceCredentialsOptions, 'credentialUses'>,
    UsageResourcesOptions {
  /** The unique ID of this installation. It is the issuer of tokens, and clients read it from `selves`. */
  readonly instanceId: string;
}

const noInstanceKeys =
  'virtual clusters have no access keys; connect the cluster that this one runs on, and import it with flotilla import';
const noReadableKeys =
  'the server stores only hashes of access keys; create a new key for the agent with POST, or with flotilla cluster agent-key';

/**
 * Mounts all kinds of the management group, and the Secrets and ConfigMaps of projects. Attaches their stores to the
 * state that validation and admission read.
 */
export function mountManagement(stores: KindStores, options: MountOptions): readonly MountedResource[] {
  const { state } = options;
  state.attach(stores);
  const usage = usageResources(stores, options);
  return [
    extendedInstances({
      ...mountStoredKind(storeOf(stores, virtualClusterInstanceKind), {
        kubeconfig: instanceKubeConfig(options),
        log: instanceLog(options),
        usage: usage.virtualClusters,
        credentials: instanceCredentials({ ...options, instances: storeOf(stores, virtualClusterInstanceKind) }),
      }),
      unsupported: { 'get accesskey': noInstanceKeys },
    }),
    extendedInstances(
      mountStoredKind(storeOf(stores, spaceInstanceKind), {
        kubeconfig: spaceKubeConfig(options),
        usage: usage.spaces,
      }),
    ),
    mountStoredKind(storeOf(stores, projectKind), {
      members: projectMembers(state),
      templates: projectTemplates(state),
      clusters: projectClusters(state),
      usage: usage.projects,
      importvirtualcluster: importVirtualCluster({
        ...options,
        instances: storeOf(stores, virtualClusterInstanceKind),
      }),
      importspace: importSpace({ ...options, instances: storeOf(stores, spaceInstanceKind) }),
    }),
    {
      ...mountStoredKind(storeOf(stores, clusterKind), {
        usage: usage.clusters,
        virtualclusters: clusterVirtualClusters({ ...options, instances: storeOf(stores, virtualClusterInstanceKind) }),
        accesskey: clusterAccessKey({ ...options, accessKeys: storeOf(stores, accessKeyKind) }),
        jointoken: clusterJoinToken({
          ...options,
          accessKeys: storeOf(stores, accessKeyKind),
          clusters: storeOf(stores, clusterKind),
        }),
      }),
      unsupported: { 'get accesskey': noReadableKeys },
    },
    mountStoredKind(storeOf(stores, virtualClusterTemplateKind)),
    mountStoredKind(storeOf(stores, spaceTemplateKind)),
    mountStoredKind(storeOf(stores, userKind), {
      accesskeys: userAccessKeys(state),
      offboard: offboardUser({ ...options, stores }),
      resetpassword: resetPassword({ ...options, stores }),
      removesecondfactor: removeSecondFactorOfUser({ ...options, stores }),
    }),
    mountStoredKind(storeOf(stores, teamKind), { accesskeys: teamAccessKeys(state) }),
    withoutCreate(mountStoredKind(storeOf(stores, accessKeyKind)), storeOf(stores, accessKeyKind)),
    ownedAccessKeys(storeOf(stores, accessKeyKind), state),
    mountStoredKind(storeOf(stores, secretKind)),
    mountStoredKind(storeOf(stores, configMapKind)),
    mountStoredKind(storeOf(stores, priceListKind)),
    mountStoredKind(storeOf(stores, projectWebhookKind), { test: testWebhook(options) }),
    usage.fleet,
    selves(options),
    directClusterEndpointTokens(options),
    effectiveAccessReviews(options),
    notificationReviews(options),
    activityRecords(options, storeOf(stores, projectKind)),
    ...emptyKinds.map((kind) => emptyResource(kind, storeOf(stores, projectKind))),
  ];
}

/**
 * Makes a server-side apply to a missing object respond with 404 instead of creating the object. Used for a kind
 * without POST.
 */
function withoutCreate(mounted: MountedResource, store: KindStore): MountedResource {
  const { patch } = mounted.verbs;
  if (patch === undefined) return mounted;
  return {
    ...mounted,
    verbs: {
      ...mounted.verbs,
      async patch(context, name, sent, options) {
        if (sent.type === 'apply' && store.peek(context.namespace, name) === undefined) {
          throw notFound(groupResourceOf(store.resource), name);
        }
        return patch(context, name, sent, options);
      },
    },
  };
}
