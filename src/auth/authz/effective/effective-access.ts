import { compareBytes } from '@flotilla/json';
import { configMapKind } from '../../../api/core/config-map.ts';
import { secretKind } from '../../../api/core/secret.ts';
import { clusterKind } from '../../../api/management/v1/cluster.ts';
import { projectKind } from '../../../api/management/v1/project.ts';
import { spaceInstanceKind } from '../../../api/management/v1/space-instance.ts';
import { spaceTemplateKind } from '../../../api/management/v1/space-template.ts';
import { teamKind } from '../../../api/management/v1/team.ts';
import { userKind } from '../../../api/management/v1/user.ts';
import { virtualClusterInstanceKind } from '../../../api/management/v1/virtual-cluster-instance.ts';
import { virtualClusterTemplateKind } from '../../../api/management/v1/virtual-cluster-template.ts';
import { adminsGroup, projectNamespace } from '../../../api/naming.ts';
import type { ResourceKind } from '../../../api/resource.ts';
import type { ReviewedObject, ReviewState } from '../access-state.ts';
import { type GuardedKind, guardedKind } from '../guarded-kinds.ts';
import { reviewedObjects } from '../rules-review.ts';
import { type AuthorizationSubject, isAdmin } from '../subject.ts';
import { type VisibilityFilter, visibilityFilterFor } from '../visibility-filter.ts';
import {
  collectPage,
  comparePositions,
  type Page,
  type PageItem,
  type PageLimits,
  type Position,
} from './access-page.ts';
import { agentGrants } from './agent-access.ts';
import { type AccessGrants, grantsOn, type RequestTarget } from './object-grants.ts';

export interface AccessQuery extends PageLimits {
  /** The only project to list. Optional; by default everything is listed. */
  readonly project?: string | undefined;
  /** The position at which the previous page ended. Optional; by default the list starts at the beginning. */
  readonly after?: Position | undefined;
}

/** The kinds of objects in the order of the list. */
const reviewedKinds: readonly ResourceKind[] = [
  projectKind,
  virtualClusterInstanceKind,
  spaceInstanceKind,
  secretKind,
  configMapKind,
  clusterKind,
  virtualClusterTemplateKind,
  spaceTemplateKind,
  userKind,
  teamKind,
];

/**
 * Lists the objects that a subject has permissions on, with the grants from which the permissions result. An admin
 * without a scope has one entry, because it has all permissions.
 */
export async function accessOfSubject(
  subject: AuthorizationSubject,
  state: ReviewState,
  query: AccessQuery,
): Promise<Page<AccessGrants>> {
  if (subject.scopes.length === 0 && isAdmin(subject.user)) {
    const everything = { resource: '*', namespace: '', name: '', verbs: ['*'], subresources: ['*'] };
    return { entries: [{ ...everything, via: [`group ${adminsGroup}`] }] };
  }
  const ofAgent = agentGrants(subject);
  if (ofAgent !== undefined) return { entries: query.project === undefined ? [ofAgent] : [] };
  return await collectPage(itemsOf(subject, state, query), query);
}

function* itemsOf(
  subject: AuthorizationSubject,
  state: ReviewState,
  { project, after }: AccessQuery,
): Iterable<PageItem<AccessGrants>> {
  const projects = project === undefined ? namesOf([...state.projects()].map((object) => ({ object }))) : [project];
  for (const [rank, kind] of reviewedKinds.entries()) {
    const guarded = guardedKind(kind.group, kind.plural);
    if (guarded === undefined || rank < (after?.[0] ?? 0)) continue;
    // The scopes are not part of the filter, because a scope may allow other verbs than reading.
    const reads = visibilityFilterFor({ ...subject, scopes: [] }, kind, state, 'get');
    for (const namespace of namespacesOf(kind, projects, project)) {
      if (after !== undefined && rank === after[0] && compareBytes(namespace, after[1]) < 0) continue;
      for (const item of itemsIn({ guarded, namespace, rank, reads }, subject, state, project)) {
        if (after === undefined || comparePositions(item.position, after) > 0) yield item;
      }
    }
  }
}

/** Returns the namespaces to list for a kind. For one project, only the project and its contents are listed. */
function namespacesOf(kind: ResourceKind, projects: readonly string[], project: string | undefined): readonly string[] {
  if (kind.namespaced) return projects.map(projectNamespace);
  return project === undefined || kind === projectKind ? [''] : [];
}

interface KindInNamespace {
  readonly guarded: GuardedKind;
  readonly namespace: string;
  readonly rank: number;
  readonly reads: VisibilityFilter | undefined;
}

function* itemsIn(
  { guarded, namespace, rank, reads }: KindInNamespace,
  subject: AuthorizationSubject,
  state: ReviewState,
  project: string | undefined,
): Iterable<PageItem<AccessGrants>> {
  const { kind } = guarded;
  const itemFor = (name: string): PageItem<AccessGrants> => ({
    position: [rank, namespace, name],
    entries: () => grantsAt(subject, { guarded, namespace, name }, state),
  });
  if (project === undefined || kind.namespaced) yield itemFor('');
  const objects = [...reviewedObjects(kind, { state, namespace })].sort(byName);
  for (const { object, hidden } of objects) {
    const name = object.metadata.name ?? '';
    if (kind === projectKind && project !== undefined && name !== project) continue;
    const hasAccess = (guarded.guardedFieldsOf(object, hidden).spec?.access ?? []).length > 0;
    if (hasAccess || reads === undefined || reads(object, hidden)) yield itemFor(name);
    else yield { position: [rank, namespace, name] };
  }
}

/** Returns the permissions of a subject on an object as entries of a list. */
export function grantsAt(subject: AuthorizationSubject, target: RequestTarget, state: ReviewState): AccessGrants[] {
  const { guarded, namespace, name } = target;
  return grantsOn(subject, target, state).map((grants) => ({
    resource: guarded.kind.plural,
    namespace,
    name,
    ...grants,
  }));
}

function namesOf(objects: readonly ReviewedObject[]): string[] {
  return objects.map(({ object }) => object.metadata.name ?? '').sort(compareBytes);
}

function byName(a: ReviewedObject, b: ReviewedObject): number {
  return compareBytes(a.object.metadata.name ?? '', b.object.metadata.name ?? '');
}
