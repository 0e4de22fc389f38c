import { compareBytes } from '@flotilla/json';
import { configMapKind } from '../../api/core/config-map.ts';
import { eventKind } from '../../api/core/event.ts';
import { namespaceKind } from '../../api/core/namespace.ts';
import { secretKind } from '../../api/core/secret.ts';
import { clusterKind } from '../../api/management/v1/cluster.ts';
import { projectKind } from '../../api/management/v1/project.ts';
import { spaceInstanceKind } from '../../api/management/v1/space-instance.ts';
import { spaceTemplateKind } from '../../api/management/v1/space-template.ts';
import { teamKind } from '../../api/management/v1/team.ts';
import { userKind } from '../../api/management/v1/user.ts';
import { virtualClusterInstanceKind } from '../../api/management/v1/virtual-cluster-instance.ts';
import { virtualClusterTemplateKind } from '../../api/management/v1/virtual-cluster-template.ts';
import type { KubeObject } from '../../api/meta.ts';
import { projectOfNamespace } from '../../api/naming.ts';
import type { ResourceKind } from '../../api/resource.ts';
import type { ReviewedObject, ReviewState } from './access-state.ts';
import { decide } from './decide.ts';
import { type GuardedKind, guardedKinds } from './guarded-kinds.ts';
import type { GuardedObject } from './guarded-object.ts';
import { auditorPaths, fieldWildcard, openPaths, openPathVerbs, protectedMetadataFields } from './permission-table.ts';
import { type AuthorizationSubject, isAdmin } from './subject.ts';
import { visibilityFilterFor } from './visibility-filter.ts';

/** The permissions of a caller in the format of a SelfSubjectRulesReview. */
export interface RulesReviewResult {
  readonly resourceRules: readonly ResourceRule[];
  readonly nonResourceRules: readonly NonResourceRule[];
  /** True if some permissions are not listed. `evaluationError` then names the kinds that are affected. */
  readonly incomplete: boolean;
  readonly evaluationError?: string;
}

export interface ResourceRule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
}

export interface NonResourceRule {
  readonly verbs: readonly string[];
  readonly nonResourceURLs: readonly string[];
}

/**
 * The maximum number of objects that are inspected per kind. With the maximum number of names that are checked per
 * kind, it limits the time to about ten milliseconds.
 */
const maxObjects = 20_000;
const maxNames = 500;

const plainVerbs = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'];

/**
 * Lists the permissions of a caller in a namespace and at cluster scope. The function calls the authorizer for each
 * possible permission, so the list always agrees with the authorizer.
 */
export function permissionRulesFor(
  subject: AuthorizationSubject,
  namespace: string,
  state: ReviewState,
): RulesReviewResult {
  if (subject.scopes.length === 0 && isAdmin(subject.user)) {
    return {
      resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
      nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
      incomplete: false,
    };
  }
  const truncatedKinds: string[] = [];
  const review: Review = { subject, namespace, state, truncatedKinds };
  const resourceRules = guardedKinds().flatMap((kind) => rulesOfKind(kind, review));
  const nonResourceURLs = pathsOf(subject).filter(
    (path) => decide(subject, { resourceRequest: false, verb: 'get', path }, state).allowed,
  );
  return {
    resourceRules,
    nonResourceRules: nonResourceURLs.length === 0 ? [] : [{ verbs: [...openPathVerbs], nonResourceURLs }],
    incomplete: truncatedKinds.length > 0,
    ...(truncatedKinds.length === 0
      ? {}
      : { evaluationError: `too many objects to list all permissions on: ${truncatedKinds.join(', ')}` }),
  };
}

/** The inputs of a permission listing, and the kinds that the listing does not cover completely. */
interface Review {
  readonly subject: AuthorizationSubject;
  readonly namespace: string;
  readonly state: ReviewState;
  /** The kinds of which not all objects or names were inspected, because there are more than the limits allow. */
  readonly truncatedKinds: string[];
}

function rulesOfKind(guarded: GuardedKind, review: Review): ResourceRule[] {
  const { subject, namespace, state } = review;
  const { group, version, plural, namespaced } = guarded.kind;
  const allowed = (verb: string, subresource: string, name: string) => {
    const key = { namespace: namespaced ? namespace : '', name };
    const attributes = { resourceRequest: true, verb, group, version, resource: plural, subresource, ...key } as const;
    return decide(subject, attributes, state).allowed;
  };
  const names = guarded.find === undefined ? [] : namesOf(guarded, review);
  const isAdminCaller = isAdmin(subject.user);
  /** The allowed verbs, by resource and object names. */
  const found = new Map<string, { resource: string; names: readonly string[]; verbs: string[] }>();
  const add = (resource: string, verb: string, forNames: readonly string[]) => {
    const key = JSON.stringify([resource, forNames]);
    const entry = found.get(key) ?? { resource, names: forNames, verbs: [] };
    entry.verbs.push(verb);
    found.set(key, entry);
  };
  for (const [subresource, verbs] of checksOf(guarded)) {
    const resource = subresource === '' ? plural : `${plural}/${subresource}`;
    for (const verb of verbs) {
      if (allowed(verb, subresource, '')) {
        add(resource, verb, []);
      } else if (isAdminCaller || guarded.permissionFor(subresource, verb) !== undefined) {
        const some = names.filter((name) => allowed(verb, subresource, name));
        if (some.length > 0) add(resource, verb, some);
      }
    }
  }
  return [...found.values()].map((entry) => ({
    verbs: entry.verbs,
    apiGroups: [group],
    resources: [entry.resource],
    ...(entry.names.length === 0 ? {} : { resourceNames: entry.names }),
  }));
}

/**
 * Returns the verbs to check for each subresource of a kind. A field wildcard is expanded to the fields of the kind.
 */
export function checksOf(guarded: GuardedKind): Map<string, Set<string>> {
  const checks = new Map([['', new Set(plainVerbs)]]);
  for (const permission of guarded.permissions) {
    for (const subresource of permission.subresources.flatMap((each) =>
      fieldWildcard(each) === each ? fieldsOf(guarded.kind, each) : [each],
    )) {
      const verbsSoFar = checks.get(subresource) ?? new Set<string>();
      for (const verb of permission.verbs) verbsSoFar.add(verb);
      checks.set(subresource, verbsSoFar);
    }
  }
  return checks;
}

/** Expands the wildcard `spec.*` or `metadata.*` to the single fields. */
function fieldsOf({ schema }: ResourceKind, any: string): string[] {
  const part = any.slice(0, any.indexOf('.'));
  const fields = part === 'metadata' ? protectedMetadataFields : Object.keys(schema.properties?.spec?.properties ?? {});
  return fields.map((field) => `${part}.${field}`);
}

type Objects = (state: ReviewState, namespace: string) => Iterable<KubeObject>;

/** The kinds whose permissions depend on the objects alone. */
const objectsOf: ReadonlyMap<string, Objects> = new Map<string, Objects>([
  [projectKind.plural, (state) => state.projects()],
  [namespaceKind.plural, (state) => state.namespaces()],
  [clusterKind.plural, (state) => state.clusters()],
  [virtualClusterTemplateKind.plural, (state) => state.templates()],
  [spaceTemplateKind.plural, (state) => state.spaceTemplates()],
  [userKind.plural, (state) => state.users()],
  [teamKind.plural, (state) => state.teams()],
  [virtualClusterInstanceKind.plural, (state, namespace) => state.instancesOf(projectOfNamespace(namespace) ?? '')],
  [spaceInstanceKind.plural, (state, namespace) => state.spacesOf(projectOfNamespace(namespace) ?? '')],
  [eventKind.plural, (state, namespace) => state.eventsOf(namespace)],
]);

/**
 * Returns the objects of a kind. If permissions depend on data that no response contains, returns this hidden part of
 * each record, too.
 */
export function* reviewedObjects(
  { plural }: ResourceKind,
  { state, namespace }: Pick<Review, 'state' | 'namespace'>,
): Iterable<ReviewedObject> {
  if (plural === secretKind.plural) yield* state.configObjectsOf(secretKind, namespace);
  if (plural === configMapKind.plural) yield* state.configObjectsOf(configMapKind, namespace);
  for (const object of objectsOf.get(plural)?.(state, namespace) ?? []) yield { object };
}

/**
 * Returns the names of the objects on which the caller may have permissions: objects that the caller can read, and
 * objects with an `access` list.
 */
function namesOf(guarded: GuardedKind, review: Review): string[] {
  const { kind } = guarded;
  const reads = visibilityFilterFor(review.subject, kind, review.state, 'get');
  const names: string[] = [];
  let inspected = 0;
  for (const { object, hidden } of reviewedObjects(kind, review)) {
    if (names.length === maxNames || inspected === maxObjects) {
      review.truncatedKinds.push(kind.plural);
      break;
    }
    inspected++;
    const mayHavePermissions =
      reads === undefined || reads(object, hidden) || hasAccessList(guarded.guardedFieldsOf(object, hidden));
    if (mayHavePermissions) names.push(object.metadata.name ?? '');
  }
  return names.sort(compareBytes);
}

function hasAccessList({ spec }: GuardedObject): boolean {
  return spec?.access !== undefined && spec.access.length > 0;
}

/** Returns the paths to check. Only admins have permissions on other paths. */
function pathsOf({ user, scopes }: AuthorizationSubject): string[] {
  const named = isAdmin(user) ? scopes.flatMap((scope) => scope.rules.flatMap((rule) => rule.paths)) : [];
  return [...new Set([...openPaths, ...auditorPaths, ...named])];
}
