import { spaceBindings } from '../../api/management/space-roles.ts';
import { clusterKind } from '../../api/management/v1/cluster.ts';
import type { EffectiveAccessEntry, EffectiveAccessStatus } from '../../api/management/v1/effective-access-review.ts';
import { type SpaceInstance, spaceInstanceKind } from '../../api/management/v1/space-instance.ts';
import {
  type VirtualClusterInstance,
  virtualClusterInstanceKind,
} from '../../api/management/v1/virtual-cluster-instance.ts';
import {
  defaultVirtualClusterRole,
  rolesOfHolder,
  virtualClusterRoles,
} from '../../api/management/virtual-cluster-roles.ts';
import { projectOfNamespace } from '../../api/naming.ts';
import type { ResourceKind } from '../../api/resource.ts';
import { callerOf } from '../../auth/authz/caller.ts';
import {
  collectPage,
  comparePositions,
  type Page,
  type PageItem,
  type Position,
} from '../../auth/authz/effective/access-page.ts';
import { agentGrants } from '../../auth/authz/effective/agent-access.ts';
import { type AccessQuery, accessOfSubject, grantsAt } from '../../auth/authz/effective/effective-access.ts';
import type { AccessGrants } from '../../auth/authz/effective/object-grants.ts';
import { guardedKind } from '../../auth/authz/guarded-kinds.ts';
import { adminsOfProject } from '../../auth/authz/project-grants.ts';
import { type AuthorizationSubject, isAdmin } from '../../auth/authz/subject.ts';
import type { ManagementState } from '../state.ts';
import { type AccessSubject, allSubjects, findSubject, type SubjectRef, subjectKinds } from './access-subjects.ts';

/** Lists the access of a subject. */
export async function accessOf(
  ref: SubjectRef,
  found: AccessSubject,
  state: ManagementState,
  query: AccessQuery,
): Promise<EffectiveAccessStatus> {
  if ('inactive' in found) return { entries: [], inactive: found.inactive };
  const page = await accessOfSubject(found.subject, state, query);
  return statusOf({ ...page, entries: page.entries.map((grants) => entryOf(ref, found, grants, state)) });
}

/** The object of a review: an instance, or an object outside of projects. */
type ReviewedObject = Pick<VirtualClusterInstance | SpaceInstance, 'metadata' | 'spec'>;

/** Lists all subjects that have access to an object. */
export async function accessTo(
  { group, plural }: Pick<ResourceKind, 'group' | 'plural'>,
  object: ReviewedObject,
  state: ManagementState,
  { after, now, ...limits }: Omit<AccessQuery, 'project'> & { readonly now: number },
): Promise<EffectiveAccessStatus> {
  const guarded = guardedKind(group, plural);
  const { namespace = '', name = '' } = object.metadata;
  // The agent of a cluster has access to all instances on that cluster.
  const cluster = plural === clusterKind.plural ? name : object.spec?.clusterRef?.cluster;
  function* items(): Iterable<PageItem<EffectiveAccessEntry>> {
    for (const ref of allSubjects(state)) {
      const position: Position = [subjectKinds.indexOf(ref.kind), '', ref.name];
      if (guarded === undefined || (after !== undefined && comparePositions(position, after) <= 0)) continue;
      const entries = () => {
        const found = findSubject(ref, state, now);
        if (found === undefined || 'inactive' in found) return [];
        const ofAgent = agentGrants(found.subject);
        const grants =
          ofAgent === undefined
            ? grantsAt(found.subject, { guarded, namespace, name }, state)
            : [ofAgent].filter((grant) => grant.name === cluster);
        return grants.map((each) => entryOf(ref, found, each, state));
      };
      yield { position, entries };
    }
  }
  return statusOf(await collectPage(items(), limits));
}

function entryOf(
  subject: SubjectRef,
  { subject: authorized, via }: Exclude<AccessSubject, { inactive: string }>,
  grants: AccessGrants,
  state: ManagementState,
): EffectiveAccessEntry {
  const { resource, namespace, name } = grants;
  const project = projectOfNamespace(namespace);
  const clusterRoles = grants.verbs.includes('use')
    ? rolesInside(authorized, { resource, namespace, name }, state)
    : undefined;
  return {
    subject,
    resource,
    ...(project === undefined ? {} : { project }),
    ...(name === '' ? {} : { name }),
    verbs: [...grants.verbs],
    ...(grants.subresources.length === 0 ? {} : { subresources: [...grants.subresources] }),
    ...(clusterRoles === undefined ? {} : { clusterRoles }),
    via: [...via, ...grants.via],
  };
}

/** Returns the roles of a subject inside a virtual cluster or space; `undefined` for an object of another kind. */
function rolesInside(
  { user }: AuthorizationSubject,
  { resource, namespace, name }: Pick<AccessGrants, 'resource' | 'namespace' | 'name'>,
  state: ManagementState,
): string[] | undefined {
  const instance = resource === virtualClusterInstanceKind.plural ? state.instance(namespace, name) : undefined;
  const space = resource === spaceInstanceKind.plural ? state.space(namespace, name) : undefined;
  if (instance === undefined && space === undefined) return undefined;
  if (isAdmin(user)) return [defaultVirtualClusterRole];
  if (instance !== undefined) return rolesOfHolder(callerOf(user), virtualClusterRoles(instance));
  const admins = adminsOfProject(state.project(projectOfNamespace(namespace) ?? ''));
  const bindings = spaceBindings(space ?? {}, space?.status?.space?.access, admins);
  return bindings.flatMap(({ clusterRole, groups }) =>
    groups.some((group) => user.groups.includes(group)) ? [clusterRole] : [],
  );
}

function statusOf({ entries, next }: Page<EffectiveAccessEntry>): EffectiveAccessStatus {
  return { entries: [...entries], ...(next === undefined ? {} : { continue: continueText(next) }) };
}

function continueText(position: Position): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url');
}

/** Returns the position in a continue token. `undefined` if the text is not a continue token. */
export function readContinue(text: string): Position | undefined {
  if (text === '' || text.length > 1024) return undefined;
  try {
    const read: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    if (!Array.isArray(read) || read.length !== 3) return undefined;
    const [rank, namespace, name] = read as unknown[];
    const isPosition = typeof rank === 'number' && typeof namespace === 'string' && typeof name === 'string';
    return isPosition ? [rank, namespace, name] : undefined;
  } catch {
    return undefined;
  }
}
