import { deepFreeze, isJsonObject, type JsonValue, listAt, textAt } from '@flotilla/json';
import { timestamp } from '@flotilla/kubernetes-formats';
import { ageColumn, column } from '../../api/columns.ts';
import type { KubeObject } from '../../api/meta.ts';
import type { ResourceKind } from '../../api/resource.ts';
import type { KubernetesKind } from './kubernetes-kind.ts';

/** The priorities of a group and of its version. Clients use them to choose the preferred version. */
type Priorities = readonly [group: number, version: number];

/** The priorities of the built-in groups, by the name of the APIService. */
const builtinPriorities: Readonly<Record<string, Priorities>> = {
  'v1.': [18_000, 1],
  'v1.apps': [17_800, 15],
  'v1.events.k8s.io': [17_750, 15],
  'v1.authentication.k8s.io': [17_700, 15],
  'v1.authorization.k8s.io': [17_600, 15],
  'v1.autoscaling': [17_500, 15],
  'v2.autoscaling': [17_500, 30],
  'v1.batch': [17_400, 15],
  'v1.certificates.k8s.io': [17_300, 15],
  'v1.networking.k8s.io': [17_200, 15],
  'v1.policy': [17_100, 15],
  'v1.rbac.authorization.k8s.io': [17_000, 15],
  'v1.storage.k8s.io': [16_800, 15],
  'v1.apiextensions.k8s.io': [16_700, 15],
  'v1.admissionregistration.k8s.io': [16_700, 15],
  'v1.scheduling.k8s.io': [16_600, 15],
  'v1.coordination.k8s.io': [16_500, 15],
  'v1.node.k8s.io': [16_300, 15],
  'v1.discovery.k8s.io': [16_200, 15],
  'v1.resource.k8s.io': [16_200, 21],
  'v1.flowcontrol.apiserver.k8s.io': [16_100, 21],
};
const customPriorities: Priorities = [1_000, 100];

/** The groups that planes with the minimal set of kinds also serve. */
const minimalGroups = [
  '',
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'authentication.k8s.io',
  'authorization.k8s.io',
  'coordination.k8s.io',
  'events.k8s.io',
  'rbac.authorization.k8s.io',
];

/** The label of API services that the server manages: `onstart` for built-in groups, `true` for custom groups. */
const managedLabel = 'kube-aggregator.kubernetes.io/automanaged';

interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

export function apiServiceName({ group, version }: GroupVersion): string {
  return `${version}.${group}`;
}

function apiService(
  groupVersion: GroupVersion,
  [groupPriorityMinimum, versionPriority]: Priorities,
  managed: 'onstart' | 'true',
): KubeObject {
  const { group, version } = groupVersion;
  return {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: apiServiceName(groupVersion), labels: { [managedLabel]: managed } },
    spec: { group, version, groupPriorityMinimum, versionPriority },
  };
}

/** Returns the APIService of a group version that custom resource definitions serve. */
export function customApiService(groupVersion: GroupVersion): KubeObject {
  return apiService(groupVersion, customPriorities, 'true');
}

/** True for the APIService of a group version that custom resource definitions serve now or served in the past. */
export function isCustomApiService({ metadata }: KubeObject): boolean {
  return metadata.labels?.[managedLabel] === 'true';
}

const available = {
  type: 'Available',
  status: 'True',
  reason: 'Local',
  message: 'Local APIServices are always available',
};

/** Returns the API services of the groups of these kinds, and of the groups that all planes serve. */
export function builtinApiServices(kinds: readonly Pick<ResourceKind, 'group' | 'version'>[]): KubeObject[] {
  const minimal = minimalGroups.map((group) => ({ group, version: 'v1' }));
  const served = new Map([...minimal, ...kinds].map((kind) => [apiServiceName(kind), kind]));
  return [...served].flatMap(([name, kind]) => {
    const priorities = builtinPriorities[name];
    if (priorities === undefined) return [];
    // All planes share this object, so its condition has no transition time.
    const object = { ...apiService(kind, priorities, 'onstart'), status: { conditions: [available] } };
    return [deepFreeze(object as JsonValue) as KubeObject];
  });
}

function serviceOf(object: KubeObject): string {
  const service = isJsonObject(object.spec as JsonValue) ? (object.spec as { service?: JsonValue }).service : undefined;
  return isJsonObject(service) ? `${textAt(service, 'namespace')}/${textAt(service, 'name')}` : 'Local';
}

function availabilityOf(object: KubeObject): string {
  const conditions = listAt(object as JsonValue, 'status', 'conditions');
  return (
    textAt(
      conditions.find((condition) => textAt(condition, 'type') === 'Available'),
      'status',
    ) || 'Unknown'
  );
}

/**
 * The kind APIService, which lists the served API groups. Clients can only read it, because there is no aggregation.
 */
export const apiServiceKind: KubernetesKind = {
  struct: 'apiregistration.APIService',
  group: 'apiregistration.k8s.io',
  plural: 'apiservices',
  categories: ['api-extensions'],
  namespaced: false,
  description: 'A version of an API group that this server serves.',
  unconditionalUpdate: false,
  verbs: ['get', 'list', 'watch'],
  verbsReason: 'APIs of other servers cannot be added, because this server serves only its own API',
  prepare(object, old) {
    if (old !== undefined) return;
    object.status = { conditions: [{ ...available, lastTransitionTime: timestamp(Date.now()) }] };
  },
  status: { keeps: [] },
  validate: () => [],
  columns: [
    column('Service', serviceOf, { description: 'The server of the API.' }),
    column('Available', availabilityOf, { description: 'True if the API is served.' }),
    ageColumn,
  ],
};
