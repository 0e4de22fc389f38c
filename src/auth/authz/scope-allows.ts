import { customResourceDefinitionKind } from '../../api/apiextensions/custom-resource-definition.ts';
import { authenticationGroup, authorizationGroup } from '../../api/core/reviews.ts';
import { accessKeyKind, ownedAccessKeyKind } from '../../api/management/v1/access-key.ts';
import { clusterKind } from '../../api/management/v1/cluster.ts';
import { directClusterEndpointTokenKind } from '../../api/management/v1/direct-cluster-endpoint-token.ts';
import { effectiveAccessReviewKind } from '../../api/management/v1/effective-access-review.ts';
import { activityRecordKind } from '../../api/management/v1/notifications/activity-record.ts';
import { projectWebhookKind } from '../../api/management/v1/notifications/project-webhook.ts';
import { projectKind } from '../../api/management/v1/project.ts';
import { spaceInstanceKind } from '../../api/management/v1/space-instance.ts';
import { virtualClusterInstanceKind } from '../../api/management/v1/virtual-cluster-instance.ts';
import type { KubeObject } from '../../api/meta.ts';
import { managementGroup, projectOfNamespace } from '../../api/naming.ts';
import type { ResourceKind } from '../../api/resource.ts';
import { readVerbs } from './access-list.ts';
import type { AccessState } from './access-state.ts';
import type { Attributes, PathAttributes, ResourceAttributes } from './attributes.ts';
import { isConfigKind } from './config-objects.ts';
import { fieldWildcard, matchesPath, openPathVerbs } from './permission-table.ts';
import { allowsCluster } from './project-grants.ts';
import { type CompiledScope, denyAllScope, isEmptySelection, selectionContains } from './scope.ts';
import { scopeRuleMatches } from './scope-rule.ts';

/**
 * Verbs whose results are filtered. A scope allows a request with such a verb if the scope may allow at least some of
 * the items.
 */
const filteredVerbs: ReadonlySet<string> = new Set(['list', 'watch']);

/** True if the scope allows the request. The permissions of the user are checked separately. */
export function scopeAllows(scope: CompiledScope, attributes: Attributes, state: AccessState): boolean {
  const credentialDecision = decideOnCredentials(scope, attributes);
  if (credentialDecision !== undefined) return credentialDecision;
  if (listsCover(scope, attributes, state)) return true;
  const collection = attributes.resourceRequest && filteredVerbs.has(attributes.verb);
  return matchesRule(scope, attributes, collection);
}

/** Returns a filter for the items of a list, watch or deletecollection. It keeps the objects that the scope allows. */
export function scopeFilterFor(
  scope: CompiledScope,
  kind: ResourceKind,
  state: AccessState,
  verb: string,
): (object: KubeObject) => boolean {
  return (object) => {
    const { name = '', namespace = '' } = object.metadata;
    const { group, version, plural: resource } = kind;
    const attributes = {
      resourceRequest: true,
      verb: 'get',
      group,
      version,
      resource,
      subresource: '',
      namespace,
      name,
    } as const;
    const credentialDecision = decideOnCredentials(scope, attributes);
    if (credentialDecision !== undefined) return credentialDecision;
    if (listsCover(scope, attributes, state)) return true;
    if (matchesRule(scope, { ...attributes, verb }, false)) return true;
    // If the scope sets `allowPlatformCli`, the lists that the CLI needs also contain the objects on which a rule of
    // the scope allows `get`.
    return (
      scope.allowsCli &&
      cliResources.has(resource) &&
      group === managementGroup &&
      matchesRule(scope, attributes, false)
    );
  };
}

/**
 * Decides on requests for credentials; `undefined` if the request does not concern credentials. A scoped key can create
 * keys and tokens, which inherit the scopes of the key. All other operations on credentials are denied even if a rule
 * allows them, because they could give access outside of the scope.
 */
function decideOnCredentials(scope: CompiledScope, attributes: Attributes): boolean | undefined {
  if (scope === denyAllScope) return false;
  if (!attributes.resourceRequest || (attributes.target?.type ?? 'Management') !== 'Management') return undefined;
  const { group, resource, subresource, verb } = attributes;
  if (group !== managementGroup) return undefined;
  if (resource === ownedAccessKeyKind.plural || resource === directClusterEndpointTokenKind.plural) {
    return verb === 'create' && subresource === '';
  }
  const isCredential = credentialResources.has(resource) || credentialSubresources.has(subresource);
  return isCredential ? false : undefined;
}

/**
 * The resources for credentials. The set contains access reviews, too, because they list access outside of the scope.
 */
const credentialResources: ReadonlySet<string> = new Set([accessKeyKind.plural, effectiveAccessReviewKind.plural]);

const credentialSubresources: ReadonlySet<string> = new Set([
  'accesskey',
  'accesskeys',
  'jointoken',
  'offboard',
  'removesecondfactor',
  'resetpassword',
  'spec.password',
]);

function matchesRule(scope: CompiledScope, attributes: Attributes, collection: boolean): boolean {
  if (scope.rules.length === 0) return false;
  if (!attributes.resourceRequest || fieldWildcard(attributes.subresource) === undefined) {
    return scope.rules.some((rule) => scopeRuleMatches(rule, attributes, { collection }));
  }
  // The subresource is a field. Fields are checked only for a write that the scope has already allowed. Therefore a
  // rule that allows the write also allows setting the field.
  const verbs = attributes.verb === 'update' ? ['update', 'patch'] : [attributes.verb];
  return verbs.some((verb) =>
    scope.rules.some((rule) => scopeRuleMatches(rule, { ...attributes, verb, subresource: '' }, { collection })),
  );
}

/**
 * True if one of the following members of the scope allows the request: projects, virtual clusters, spaces, clusters or
 * the CLI flag. Ignores the rules of the scope.
 */
function listsCover(scope: CompiledScope, attributes: Attributes, state: AccessState): boolean {
  const { target } = attributes;
  if (target?.type === 'Cluster') return selectionContains(scope.clusters, target.cluster);
  if (target?.type === 'ProjectVirtualCluster') {
    return coversTarget(scope, scope.virtualClusters, target.project, target.virtualCluster);
  }
  if (target?.type === 'ProjectSpace') return coversTarget(scope, scope.spaces, target.project, target.space);
  if (!attributes.resourceRequest) return scope.allowsCli && isCliPath(attributes);
  if (isConfigKind(attributes.group, attributes.resource)) return coversProjectObject(scope, attributes);
  if (attributes.group !== managementGroup)
    return scope.allowsCli && (isSelfReview(attributes) || readsDefinitions(attributes));
  if (objectsOfProjects.has(attributes.resource)) return coversProjectObject(scope, attributes);
  if (attributes.resource === projectKind.plural) return coversProject(scope, attributes);
  if (attributes.resource === virtualClusterInstanceKind.plural)
    return coversInstance(scope, scope.virtualClusters, attributes);
  if (attributes.resource === spaceInstanceKind.plural) return coversInstance(scope, scope.spaces, attributes);
  if (attributes.resource === clusterKind.plural) return coversCluster(scope, attributes, state);
  return scope.allowsCli && isSelfReview(attributes);
}

/** The instances of one kind that a scope names, by project. */
type InstanceSelection = CompiledScope['virtualClusters'];

function coversTarget(
  { projects }: CompiledScope,
  instances: InstanceSelection,
  project: string,
  name: string,
): boolean {
  return selectionContains(projects, project) || namesInstance(instances, project, name);
}

/** The subresources that a scope allows to read together with an object. The empty name is the object itself. */
const readSubresources: ReadonlySet<string> = new Set(['', 'status', 'usage']);

function isRead({ verb, subresource }: ResourceAttributes): boolean {
  return readVerbs.includes(verb) && readSubresources.has(subresource);
}

const projectSubresources: ReadonlySet<string> = new Set(['clusters', 'templates', 'members']);

function coversProject(scope: CompiledScope, attributes: ResourceAttributes): boolean {
  const { verb, subresource, name } = attributes;
  const covered = selectionContains(scope.projects, name);
  // A scope can allow the import of a virtual cluster, but not the import of a space: that import acts on the host,
  // which no list of a scope includes.
  if (subresource === 'importvirtualcluster') return covered && verb === 'create';
  if (projectSubresources.has(subresource)) return scope.allowsCli && verb === 'get' && (covered || scope.cliOnly);
  if (!isRead(attributes)) return false;
  if (filteredVerbs.has(verb)) return scope.allowsCli || !isEmptySelection(scope.projects);
  return covered || scope.cliOnly;
}

function coversInstance(scope: CompiledScope, instances: InstanceSelection, attributes: ResourceAttributes): boolean {
  const { verb, subresource, namespace, name } = attributes;
  const project = projectOfNamespace(namespace) ?? '';
  if (selectionContains(scope.projects, project)) return true;
  if (isRead(attributes) && filteredVerbs.has(verb)) {
    if (scope.allowsCli) return true;
    if (namespace === '') return !isEmptySelection(scope.projects) || instances.size > 0;
    return instances.has(project) || instances.has('*');
  }
  if (scope.cliOnly && isRead(attributes)) return true;
  const isUse = (verb === 'create' && subresource === 'kubeconfig') || (verb === 'use' && subresource === '');
  return (isRead(attributes) || isUse) && namesInstance(instances, project, name);
}

/** Kinds whose objects belong to a project as a whole. */
const objectsOfProjects: ReadonlySet<string> = new Set([activityRecordKind.plural, projectWebhookKind.plural]);

/**
 * True if the scope lists the project that contains the object. For a list over all projects, one listed project
 * suffices, because the items are filtered later.
 */
function coversProjectObject({ projects }: CompiledScope, { verb, namespace }: ResourceAttributes): boolean {
  if (namespace === '') return filteredVerbs.has(verb) && !isEmptySelection(projects);
  return selectionContains(projects, projectOfNamespace(namespace) ?? '');
}

function namesInstance(instances: InstanceSelection, project: string, name: string): boolean {
  const inProject = instances.get(project);
  const inAllProjects = instances.get('*');
  return (
    project !== '' &&
    ((inProject !== undefined && selectionContains(inProject, name)) ||
      (inAllProjects !== undefined && selectionContains(inAllProjects, name)))
  );
}

function coversCluster(scope: CompiledScope, attributes: ResourceAttributes, state: AccessState): boolean {
  const { verb, subresource, name } = attributes;
  // An import into a project requires `use` on the source cluster. Requests to the cluster itself are not decided here,
  // because `listsCover` decides them by their target.
  if (verb === 'use' && subresource === '')
    return !isEmptySelection(scope.projects) || selectionContains(scope.clusters, name);
  if (!isRead(attributes)) return false;
  if (filteredVerbs.has(verb)) return scope.allowsCli || !isEmptySelection(scope.clusters);
  if (selectionContains(scope.clusters, name) || scope.cliOnly) return true;
  return scope.allowsCli && name !== '' && isAllowedInProjects(scope, name, state);
}

/** True if a project of the scope allows the cluster. The CLI flag makes such clusters readable. */
function isAllowedInProjects({ projects }: CompiledScope, cluster: string, state: AccessState): boolean {
  if (projects.all) return true;
  for (const name of projects.names) {
    const project = state.project(name);
    if (project !== undefined && allowsCluster(project, cluster)) return true;
  }
  return false;
}

const cliResources: ReadonlySet<string> = new Set([
  projectKind.plural,
  clusterKind.plural,
  virtualClusterInstanceKind.plural,
  spaceInstanceKind.plural,
]);

const cliPaths = ['/', '/version', '/version/', '/api', '/api/*', '/apis', '/apis/*', '/openapi', '/openapi/*'];

function isCliPath({ verb, path }: PathAttributes): boolean {
  return openPathVerbs.includes(verb) && cliPaths.some((each) => matchesPath(each, path));
}

/** True for reads of the definitions of kinds. They belong to discovery, which the CLI flag allows. */
function readsDefinitions(attributes: ResourceAttributes): boolean {
  const { group, plural } = customResourceDefinitionKind;
  return attributes.group === group && attributes.resource === plural && isRead(attributes);
}

const selfReviews = ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'];
const selfReviewResources: ReadonlySet<string> = new Set([
  `notificationreviews.${managementGroup}`,
  `selves.${managementGroup}`,
  `selfsubjectreviews.${authenticationGroup}`,
  ...[managementGroup, authorizationGroup].flatMap((group) => selfReviews.map((each) => `${each}.${group}`)),
]);

function isSelfReview({ verb, group, resource, subresource }: ResourceAttributes): boolean {
  return verb === 'create' && subresource === '' && selfReviewResources.has(`${resource}.${group}`);
}
