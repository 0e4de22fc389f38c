import { authenticationGroup, authorizationGroup } from '../../api/core/reviews.ts';
import { accessKeyKind, ownedAccessKeyKind } from '../../api/management/v1/access-key.ts';
import { clusterKind } from '../../api/management/v1/cluster.ts';
import { directClusterEndpointTokenKind } from '../../api/management/v1/direct-cluster-endpoint-token.ts';
import { projectKind } from '../../api/management/v1/project.ts';
import { virtualClusterInstanceKind } from '../../api/management/v1/virtual-cluster-instance.ts';
import type { KubeObject } from '../../api/meta.ts';
import { managementGroup, projectOfNamespace } from '../../api/naming.ts';
import type { ResourceKind } from '../../api/resource.ts';
import { readVerbs } from './access-list.ts';
import type { AccessState } from './access-state.ts';
import type { Attributes, PathAttributes, ResourceAttributes } from './attributes.ts';
import { allowsCluster } from './project-grants.ts';
import { anyField, matchesPath, openPathVerbs } from './rights-table.ts';
import { closedScope, isEmpty, type Scope, selects } from './scope.ts';
import { ruleMatches } from './scope-rule.ts';

/** Lists and watches are filtered, not refused, where the scope allows some of the items. */
const filtered: ReadonlySet<string> = new Set(['list', 'watch']);

/** Whether the scope lets this request through; what the user may do is another question. */
export function scopeAllows(scope: Scope, asked: Attributes, state: AccessState): boolean {
  const aboutCredentials = credentialAnswer(scope, asked);
  if (aboutCredentials !== undefined) return aboutCredentials;
  if (reaches(scope, asked, state)) return true;
  const collection = asked.resourceRequest && filtered.has(asked.verb);
  return matchesRule(scope, asked, collection);
}

/** Whether an object that a list, a watch or a delete of a collection comes upon is within the scope. */
export function scopeShows(
  scope: Scope,
  kind: ResourceKind,
  object: KubeObject,
  state: AccessState,
  verb: string,
): boolean {
  const { name = '', namespace = '' } = object.metadata;
  const { group, version, plural: resource } = kind;
  const asked = {
    resourceRequest: true,
    verb: 'get',
    group,
    version,
    resource,
    subresource: '',
    namespace,
    name,
  } as const;
  const aboutCredentials = credentialAnswer(scope, asked);
  if (aboutCredentials !== undefined) return aboutCredentials;
  if (reaches(scope, asked, state)) return true;
  if (matchesRule(scope, { ...asked, verb }, false)) return true;
  // The lists that a command-line tool needs show what the rest of the scope lets it get.
  return scope.forCli && cliResources.has(resource) && group === managementGroup && matchesRule(scope, asked, false);
}

/**
 * A scoped key makes keys and tokens, which carry its scopes; whatever else has to do with credentials would lead out
 * of the scope, whatever a rule says. Undefined: the request has nothing to do with them.
 */
function credentialAnswer(scope: Scope, asked: Attributes): boolean | undefined {
  if (scope === closedScope) return false;
  if (!asked.resourceRequest || (asked.target?.type ?? 'Management') !== 'Management') return undefined;
  const { group, resource, subresource, verb } = asked;
  if (group !== managementGroup) return undefined;
  if (resource === ownedAccessKeyKind.plural || resource === directClusterEndpointTokenKind.plural) {
    return verb === 'create' && subresource === '';
  }
  const isCredential = resource === accessKeyKind.plural || credentialParts.has(subresource);
  return isCredential ? false : undefined;
}

const credentialParts: ReadonlySet<string> = new Set(['accesskey', 'accesskeys', 'spec.password']);

function matchesRule(scope: Scope, asked: Attributes, collection: boolean): boolean {
  if (scope.rules.length === 0) return false;
  if (!asked.resourceRequest || anyField(asked.subresource) === undefined) {
    return scope.rules.some((rule) => ruleMatches(rule, asked, { collection }));
  }
  // The right to set a field is asked for inside of a write that the scope has let through.
  const verbs = asked.verb === 'update' ? ['update', 'patch'] : [asked.verb];
  return verbs.some((verb) =>
    scope.rules.some((rule) => ruleMatches(rule, { ...asked, verb, subresource: '' }, { collection })),
  );
}

/** What the lists of a scope and its flag cover; rules aside. */
function reaches(scope: Scope, asked: Attributes, state: AccessState): boolean {
  const { target } = asked;
  if (target?.type === 'Cluster') return selects(scope.clusters, target.cluster);
  if (target?.type === 'ProjectVirtualCluster') {
    return selects(scope.projects, target.project) || namesInstance(scope, target.project, target.virtualCluster);
  }
  if (!asked.resourceRequest) return scope.forCli && isCliPath(asked);
  if (asked.group !== managementGroup) return scope.forCli && isAboutOneself(asked);
  if (asked.resource === projectKind.plural) return reachesProject(scope, asked);
  if (asked.resource === virtualClusterInstanceKind.plural) return reachesInstance(scope, asked);
  if (asked.resource === clusterKind.plural) return reachesCluster(scope, asked, state);
  return scope.forCli && isAboutOneself(asked);
}

function isRead({ verb, subresource }: ResourceAttributes): boolean {
  return readVerbs.includes(verb) && (subresource === '' || subresource === 'status');
}

const projectAnswers: ReadonlySet<string> = new Set(['clusters', 'templates', 'members']);

function reachesProject(scope: Scope, asked: ResourceAttributes): boolean {
  const { verb, subresource, name } = asked;
  const covered = selects(scope.projects, name);
  if (subresource === 'importvirtualcluster') return covered && verb === 'create';
  if (projectAnswers.has(subresource)) return scope.forCli && verb === 'get' && (covered || scope.cliOnly);
  if (!isRead(asked)) return false;
  if (filtered.has(verb)) return scope.forCli || !isEmpty(scope.projects);
  return covered || scope.cliOnly;
}

function reachesInstance(scope: Scope, asked: ResourceAttributes): boolean {
  const { verb, subresource, namespace, name } = asked;
  const project = projectOfNamespace(namespace) ?? '';
  if (selects(scope.projects, project)) return true;
  if (isRead(asked) && filtered.has(verb)) {
    if (scope.forCli) return true;
    if (namespace === '') return !isEmpty(scope.projects) || scope.virtualClusters.size > 0;
    return scope.virtualClusters.has(project) || scope.virtualClusters.has('*');
  }
  if (scope.cliOnly && isRead(asked)) return true;
  const isUse = (verb === 'create' && subresource === 'kubeconfig') || (verb === 'use' && subresource === '');
  return (isRead(asked) || isUse) && namesInstance(scope, project, name);
}

function namesInstance({ virtualClusters }: Scope, project: string, name: string): boolean {
  const here = virtualClusters.get(project);
  const everywhere = virtualClusters.get('*');
  return (
    project !== '' &&
    ((here !== undefined && selects(here, name)) || (everywhere !== undefined && selects(everywhere, name)))
  );
}

function reachesCluster(scope: Scope, asked: ResourceAttributes, state: AccessState): boolean {
  const { verb, subresource, name } = asked;
  // Not a way into the cluster, which has a target of its own, but part of an import into a project of the scope.
  if (verb === 'use' && subresource === '') return !isEmpty(scope.projects) || selects(scope.clusters, name);
  if (!isRead(asked)) return false;
  if (filtered.has(verb)) return scope.forCli || !isEmpty(scope.clusters);
  if (selects(scope.clusters, name) || scope.cliOnly) return true;
  return scope.forCli && name !== '' && isAllowedInProjects(scope, name, state);
}

/** What `projects/<name>/clusters` shows to a command-line tool, `clusters` shows it too. */
function isAllowedInProjects({ projects }: Scope, cluster: string, state: AccessState): boolean {
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
]);

const cliPaths = ['/', '/version', '/version/', '/api', '/api/*', '/apis', '/apis/*', '/openapi', '/openapi/*'];

function isCliPath({ verb, path }: PathAttributes): boolean {
  return openPathVerbs.includes(verb) && cliPaths.some((each) => matchesPath(each, path));
}

const selfReviews = ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'];
const aboutOneself: ReadonlySet<string> = new Set([
  `selves.${managementGroup}`,
  `selfsubjectreviews.${authenticationGroup}`,
  ...[managementGroup, authorizationGroup].flatMap((group) => selfReviews.map((each) => `${each}.${group}`)),
]);

function isAboutOneself({ verb, group, resource, subresource }: ResourceAttributes): boolean {
  return verb === 'create' && subresource === '' && aboutOneself.has(`${resource}.${group}`);
}
