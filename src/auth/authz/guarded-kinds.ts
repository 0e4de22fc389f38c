import type { JsonObject } from '@flotilla/json';
import { customResourceDefinitionKind } from '../../api/apiextensions/custom-resource-definition.ts';
import { configMapKind } from '../../api/core/config-map.ts';
import { eventKind } from '../../api/core/event.ts';
import { eventsGroupEventKind } from '../../api/core/events-k8s-io.ts';
import { leaseKind } from '../../api/core/lease.ts';
import { namespaceKind } from '../../api/core/namespace.ts';
import {
  authorizationGroup,
  localSubjectAccessReviewKind,
  selfSubjectAccessReviewKind,
  selfSubjectReviewKind,
  selfSubjectRulesReviewKind,
  subjectAccessReviewKind,
} from '../../api/core/reviews.ts';
import { secretKind } from '../../api/core/secret.ts';
import { accessKeyKind, ownedAccessKeyKind } from '../../api/management/v1/access-key.ts';
import { clusterKind } from '../../api/management/v1/cluster.ts';
import { directClusterEndpointTokenKind } from '../../api/management/v1/direct-cluster-endpoint-token.ts';
import { effectiveAccessReviewKind } from '../../api/management/v1/effective-access-review.ts';
import { emptyKinds } from '../../api/management/v1/empty-kinds.ts';
import { activityRecordKind } from '../../api/management/v1/notifications/activity-record.ts';
import { notificationReviewKind } from '../../api/management/v1/notifications/notification-review.ts';
import { projectWebhookKind } from '../../api/management/v1/notifications/project-webhook.ts';
import { type Project, projectKind } from '../../api/management/v1/project.ts';
import { selfKind } from '../../api/management/v1/self.ts';
import { spaceInstanceKind } from '../../api/management/v1/space-instance.ts';
import { spaceTemplateKind } from '../../api/management/v1/space-template.ts';
import { teamKind } from '../../api/management/v1/team.ts';
import { priceListKind } from '../../api/management/v1/usage/price-list.ts';
import { usageKind } from '../../api/management/v1/usage/usage.ts';
import { userKind } from '../../api/management/v1/user.ts';
import { virtualClusterInstanceKind } from '../../api/management/v1/virtual-cluster-instance.ts';
import { virtualClusterTemplateKind } from '../../api/management/v1/virtual-cluster-template.ts';
import type { KubeObject } from '../../api/meta.ts';
import { managementGroup, projectOfNamespace } from '../../api/naming.ts';
import { type ResourceKind, typedObject } from '../../api/resource.ts';
import type { AccessState } from './access-state.ts';
import { guardedActivityRecord } from './activity-readers.ts';
import { guardedConfigObject } from './config-objects.ts';
import type { GuardedFields, GuardedObject } from './guarded-object.ts';
import {
  accessKeyPermissions,
  activityPermissions,
  clusterPermissions,
  configMapPermissions,
  definitionPermissions,
  emptyKindPermissions,
  eventPermissions,
  fieldWildcard,
  fleetUsagePermissions,
  instancePermissions,
  namespacePermissions,
  ownedKeyPermissions,
  type Permission,
  priceListPermissions,
  projectPermissions,
  secretPermissions,
  selfReviewPermissions,
  spacePermissions,
  spaceTemplatePermissions,
  teamPermissions,
  templatePermissions,
  userPermissions,
  webhookPermissions,
} from './permission-table.ts';

type Find<Found> = (state: AccessState, namespace: string, name: string) => Found | undefined;

/** A kind of the management API, with the rules that grant permissions on it. */
export interface GuardedKind {
  readonly kind: ResourceKind;
  /**
   * Returns the rule for a verb on a subresource. `undefined` if there is none; only admins have the permission then.
   */
  permissionFor(subresource: string, verb: string): Permission | undefined;
  readonly permissions: readonly Permission[];
  /** Looks up an object. Absent if permissions on this kind never depend on the object. */
  readonly find?: Find<GuardedObject>;
  /** Looks up the project that contains the object. For a project, returns the project itself. */
  readonly project?: Find<Project>;
  /**
   * Returns the fields of an object that grant permissions. `hidden` is the hidden part of its record (data that
   * clients never see).
   */
  guardedFieldsOf(object: KubeObject, hidden: JsonObject | undefined): GuardedObject;
}

const inNamespace: Find<Project> = (state, namespace) => state.project(projectOfNamespace(namespace) ?? '');

const allKinds: readonly GuardedKind[] = [
  guarded(projectKind, projectPermissions, {
    find: (state, _namespace, name) => state.project(name),
    project: (state, _namespace, name) => state.project(name),
  }),
  guarded(virtualClusterInstanceKind, instancePermissions, {
    find: (state, namespace, name) => state.instance(namespace, name),
    project: inNamespace,
  }),
  guarded(spaceInstanceKind, spacePermissions, {
    find: (state, namespace, name) => state.space(namespace, name),
    project: inNamespace,
  }),
  guarded(clusterKind, clusterPermissions, { find: (state, _namespace, name) => state.cluster(name) }),
  guarded(virtualClusterTemplateKind, templatePermissions, { find: (state, _namespace, name) => state.template(name) }),
  guarded(spaceTemplateKind, spaceTemplatePermissions, {
    find: (state, _namespace, name) => state.spaceTemplate(name),
  }),
  guarded(userKind, userPermissions, { find: (state, _namespace, name) => state.user(name) }),
  guarded(teamKind, teamPermissions, { find: (state, _namespace, name) => state.team(name) }),
  guarded(namespaceKind, namespacePermissions, {
    find: (state, _namespace, name) => inNamespace(state, name, ''),
    project: (state, _namespace, name) => inNamespace(state, name, ''),
  }),
  ...[eventKind, eventsGroupEventKind].map((kind) =>
    guarded(kind, eventPermissions, {
      find(state, namespace, name) {
        const event = state.event(namespace, name);
        return event === undefined ? undefined : typedObject<GuardedFields>(kind, event);
      },
      project: inNamespace,
    }),
  ),
  {
    ...guarded(activityRecordKind, activityPermissions, { find: () => undefined, project: inNamespace }),
    guardedFieldsOf: guardedActivityRecord,
  },
  {
    ...guarded(projectWebhookKind, webhookPermissions, { find: () => undefined, project: inNamespace }),
    // Only the project grants permissions, so no other fields are needed.
    guardedFieldsOf: ({ apiVersion, kind, metadata }) => ({ apiVersion, kind, metadata }),
  },
  configObjects(configMapKind, configMapPermissions),
  configObjects(secretKind, secretPermissions),
  ...withRules(ownedKeyPermissions, [ownedAccessKeyKind]),
  ...withRules(accessKeyPermissions, [accessKeyKind]),
  ...withRules(definitionPermissions, [customResourceDefinitionKind]),
  ...withRules(selfReviewPermissions, [
    selfKind,
    directClusterEndpointTokenKind,
    // The review itself checks which subjects the caller may review.
    effectiveAccessReviewKind,
    notificationReviewKind,
    selfSubjectReviewKind,
    ...[authorizationGroup, managementGroup].flatMap((group) => [
      selfSubjectAccessReviewKind(group),
      selfSubjectRulesReviewKind(group),
    ]),
  ]),
  ...withRules(fleetUsagePermissions, [usageKind]),
  ...withRules(priceListPermissions, [priceListKind]),
  ...withRules(emptyKindPermissions, emptyKinds),
  // Without rules: only admins have permissions on these kinds.
  ...withRules(
    [],
    [
      leaseKind,
      localSubjectAccessReviewKind,
      subjectAccessReviewKind(authorizationGroup),
      subjectAccessReviewKind(managementGroup),
    ],
  ),
];

const byName: ReadonlyMap<string, GuardedKind> = new Map(
  allKinds.map((one) => [`${one.kind.plural}.${one.kind.group}`, one]),
);

/** Returns the kind with its permission rules. `undefined` if it has no rules; only admins have access to it then. */
export function guardedKind(group: string, resource: string): GuardedKind | undefined {
  return byName.get(`${resource}.${group}`);
}

export function guardedKinds(): readonly GuardedKind[] {
  return allKinds;
}

/** Defines kinds whose permissions never depend on the object. */
function withRules(rules: readonly Permission[], kinds: readonly ResourceKind[]): GuardedKind[] {
  return kinds.map((kind) => guarded(kind, rules));
}

/**
 * Defines a kind of configuration objects. Their owners are in the hidden part of their records (data that clients
 * never see).
 */
function configObjects(kind: ResourceKind, rules: readonly Permission[]): GuardedKind {
  return {
    ...guarded(kind, rules, {
      find: (state, namespace, name) => state.configObject(kind, namespace, name),
      project: inNamespace,
    }),
    guardedFieldsOf: guardedConfigObject,
  };
}

function guarded(
  kind: ResourceKind,
  rules: readonly Permission[],
  lookups: Pick<GuardedKind, 'find' | 'project'> = {},
): GuardedKind {
  const rulesByVerb = new Map<string, Permission>();
  for (const permission of rules) {
    for (const on of permission.subresources)
      for (const verb of permission.verbs) rulesByVerb.set(`${verb} ${on}`, permission);
  }
  return {
    kind,
    permissions: rules,
    ...lookups,
    guardedFieldsOf: (object) => typedObject<GuardedFields>(kind, object),
    permissionFor(subresource, verb) {
      const exact = rulesByVerb.get(`${verb} ${subresource}`);
      return exact ?? rulesByVerb.get(`${verb} ${fieldWildcard(subresource)}`);
    },
  };
}
