import { eventKind } from '../../api/core/event.ts';
import { groupEventKind } from '../../api/core/events-k8s-io.ts';
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
import { accessKeyKind, ownedAccessKeyKind } from '../../api/management/v1/access-key.ts';
import { clusterKind } from '../../api/management/v1/cluster.ts';
import { directClusterEndpointTokenKind } from '../../api/management/v1/direct-cluster-endpoint-token.ts';
import { projectKind } from '../../api/management/v1/project.ts';
import { selfKind } from '../../api/management/v1/self.ts';
import { teamKind } from '../../api/management/v1/team.ts';
import { userKind } from '../../api/management/v1/user.ts';
import { virtualClusterInstanceKind } from '../../api/management/v1/virtual-cluster-instance.ts';
import { virtualClusterTemplateKind } from '../../api/management/v1/virtual-cluster-template.ts';
import type { KubeObject } from '../../api/meta.ts';
import { managementGroup, projectOfNamespace } from '../../api/naming.ts';
import type { ResourceKind } from '../../api/resource.ts';
import type { AccessState } from './access-state.ts';
import {
  anyField,
  askingRights,
  clusterRights,
  eventRights,
  instanceRights,
  namespaceRights,
  ownedKeyRights,
  projectRights,
  type Right,
  teamRights,
  templateRights,
  userRights,
} from './rights-table.ts';

type Find = (state: AccessState, namespace: string, name: string) => KubeObject | undefined;

/** A kind of the management API with who may do what to it. */
export interface GuardedKind {
  readonly kind: ResourceKind;
  /** By subresource and verb. */
  right(subresource: string, verb: string): Right | undefined;
  readonly rights: readonly Right[];
  /** Absent: rights on this kind never depend on the object. */
  readonly find?: Find;
  /** The project itself, or the one that the object or the collection lies in. */
  readonly project?: Find;
}

const inNamespace: Find = (state, namespace) => state.project(projectOfNamespace(namespace) ?? '');

const all: readonly GuardedKind[] = [
  guarded(projectKind, projectRights, {
    find: (state, _namespace, name) => state.project(name),
    project: (state, _namespace, name) => state.project(name),
  }),
  guarded(virtualClusterInstanceKind, instanceRights, {
    find: (state, namespace, name) => state.instance(namespace, name),
    project: inNamespace,
  }),
  guarded(clusterKind, clusterRights, { find: (state, _namespace, name) => state.cluster(name) }),
  guarded(virtualClusterTemplateKind, templateRights, { find: (state, _namespace, name) => state.template(name) }),
  guarded(userKind, userRights, { find: (state, _namespace, name) => state.user(name) }),
  guarded(teamKind, teamRights, { find: (state, _namespace, name) => state.team(name) }),
  guarded(namespaceKind, namespaceRights, {
    find: (state, _namespace, name) => inNamespace(state, name, ''),
    project: (state, _namespace, name) => inNamespace(state, name, ''),
  }),
  ...[eventKind, groupEventKind].map((kind) =>
    guarded(kind, eventRights, {
      find: (state, namespace, name) => state.event(namespace, name),
      project: inNamespace,
    }),
  ),
  guarded(ownedAccessKeyKind, ownedKeyRights),
  ...[
    selfKind,
    directClusterEndpointTokenKind,
    selfSubjectReviewKind,
    ...[authorizationGroup, managementGroup].flatMap((group) => [
      selfSubjectAccessReviewKind(group),
      selfSubjectRulesReviewKind(group),
    ]),
  ].map((kind) => guarded(kind, askingRights)),
  // For admins alone.
  ...[
    accessKeyKind,
    leaseKind,
    localSubjectAccessReviewKind,
    subjectAccessReviewKind(authorizationGroup),
    subjectAccessReviewKind(managementGroup),
  ].map((kind) => guarded(kind, [])),
];

const byName: ReadonlyMap<string, GuardedKind> = new Map(
  all.map((one) => [`${one.kind.plural}.${one.kind.group}`, one]),
);

/** Undefined: a kind that this table does not know, which is for admins alone. */
export function guardedKind(group: string, resource: string): GuardedKind | undefined {
  return byName.get(`${resource}.${group}`);
}

export function guardedKinds(): readonly GuardedKind[] {
  return all;
}

function guarded(
  kind: ResourceKind,
  rights: readonly Right[],
  where: Pick<GuardedKind, 'find' | 'project'> = {},
): GuardedKind {
  const lines = new Map<string, Right>();
  for (const right of rights) {
    for (const on of right.on) for (const verb of right.verbs) lines.set(`${verb} ${on}`, right);
  }
  return {
    kind,
    rights,
    ...where,
    right(subresource, verb) {
      const line = lines.get(`${verb} ${subresource}`);
      return line ?? lines.get(`${verb} ${anyField(subresource)}`);
    },
  };
}
