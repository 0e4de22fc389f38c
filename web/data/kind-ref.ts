import type { AccessKey } from '../../src/api/management/v1/access-key.ts';
import type { Cluster } from '../../src/api/management/v1/cluster.ts';
import type { EffectiveAccessReview } from '../../src/api/management/v1/effective-access-review.ts';
import type { ActivityRecord } from '../../src/api/management/v1/notifications/activity-record.ts';
import type { NotificationReview } from '../../src/api/management/v1/notifications/notification-review.ts';
import type { ProjectWebhook } from '../../src/api/management/v1/notifications/project-webhook.ts';
import type { Project } from '../../src/api/management/v1/project.ts';
import type { Self } from '../../src/api/management/v1/self.ts';
import type { SpaceInstance } from '../../src/api/management/v1/space-instance.ts';
import type { SpaceTemplate } from '../../src/api/management/v1/space-template.ts';
import type { Team } from '../../src/api/management/v1/team.ts';
import type { PriceList } from '../../src/api/management/v1/usage/price-list.ts';
import type { Usage } from '../../src/api/management/v1/usage/usage.ts';
import type { User } from '../../src/api/management/v1/user.ts';
import type { VirtualClusterInstance } from '../../src/api/management/v1/virtual-cluster-instance.ts';
import type { VirtualClusterTemplate } from '../../src/api/management/v1/virtual-cluster-template.ts';
import { apiVersionOf, type KubeObject } from '../../src/api/meta.ts';
import { managementGroup, managementVersion, storageGroup, storageVersion } from '../../src/api/naming.ts';
import type { VirtualCluster } from '../../src/api/storage/virtual-cluster.ts';
import type { ApiRoot } from './api-root.ts';

/** The names of a kind that URLs and permission checks need, and the TypeScript type of its objects. */
export interface KindRef<Type extends KubeObject = KubeObject> {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  /** Never set. It only makes the TypeScript type of the objects available to functions that return them. */
  readonly objectType?: Type;
}

/** The kind of virtual clusters on a built-in cluster. */
const hostedKind: KindRef<VirtualCluster> = {
  group: storageGroup,
  version: storageVersion,
  kind: 'VirtualCluster',
  plural: 'virtualclusters',
  namespaced: true,
};

function managementKind<Type extends KubeObject>(kind: string, plural: string, namespaced = false): KindRef<Type> {
  return { group: managementGroup, version: managementVersion, kind, plural, namespaced };
}

/**
 * The kinds that the console uses. From `src/api/management`, only types are imported, so the schemas of the kinds are
 * not included in the console's bundle.
 */
export const kinds = {
  instance: managementKind<VirtualClusterInstance>('VirtualClusterInstance', 'virtualclusterinstances', true),
  space: managementKind<SpaceInstance>('SpaceInstance', 'spaceinstances', true),
  project: managementKind<Project>('Project', 'projects'),
  cluster: managementKind<Cluster>('Cluster', 'clusters'),
  template: managementKind<VirtualClusterTemplate>('VirtualClusterTemplate', 'virtualclustertemplates'),
  spaceTemplate: managementKind<SpaceTemplate>('SpaceTemplate', 'spacetemplates'),
  user: managementKind<User>('User', 'users'),
  team: managementKind<Team>('Team', 'teams'),
  ownedKey: managementKind<AccessKey>('OwnedAccessKey', 'ownedaccesskeys'),
  accessKey: managementKind<AccessKey>('AccessKey', 'accesskeys'),
  self: managementKind<Self>('Self', 'selves'),
  usage: managementKind<Usage>('Usage', 'usages'),
  priceList: managementKind<PriceList>('PriceList', 'pricelists'),
  accessReview: managementKind<EffectiveAccessReview>('EffectiveAccessReview', 'effectiveaccessreviews'),
  pod: { group: '', version: 'v1', kind: 'Pod', plural: 'pods', namespaced: true },
  hosted: hostedKind,
  activity: managementKind<ActivityRecord>('ActivityRecord', 'activityrecords', true),
  webhook: managementKind<ProjectWebhook>('ProjectWebhook', 'projectwebhooks', true),
  notificationReview: managementKind<NotificationReview>('NotificationReview', 'notificationreviews'),
  event: { group: '', version: 'v1', kind: 'Event', plural: 'events', namespaced: true },
} as const satisfies Record<string, KindRef>;

export interface ObjectKey {
  readonly namespace?: string | undefined;
  readonly name: string;
}

export function collectionUrl(root: ApiRoot, kind: KindRef, namespace?: string): string {
  const group = `${root}${kind.group === '' ? '/api' : '/apis'}/${apiVersionOf(kind)}`;
  const below =
    kind.namespaced && namespace !== undefined && namespace !== ''
      ? `/namespaces/${encodeURIComponent(namespace)}`
      : '';
  return `${group}${below}/${kind.plural}`;
}

export function objectUrl(root: ApiRoot, kind: KindRef, place: ObjectKey, subresource?: string): string {
  const url = `${collectionUrl(root, kind, place.namespace)}/${encodeURIComponent(place.name)}`;
  return subresource === undefined ? url : `${url}/${subresource}`;
}

/** Builds a query string from the parameters that have a value. */
export function queryText(members: Readonly<Record<string, string | number | boolean | undefined>>): string {
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries(members)) if (value !== undefined) pairs.append(name, String(value));
  return pairs.size === 0 ? '' : `?${pairs}`;
}
