import type { JsonObject } from '@flotilla/json';
import { type AccessKey, accessKeyKind } from '../../api/management/v1/access-key.ts';
import { type Cluster, clusterKind } from '../../api/management/v1/cluster.ts';
import type { Owner } from '../../api/management/v1/owner.ts';
import { type Project, projectKind } from '../../api/management/v1/project.ts';
import { type SpaceInstance, spaceInstanceKind } from '../../api/management/v1/space-instance.ts';
import { type SpaceTemplate, spaceTemplateKind } from '../../api/management/v1/space-template.ts';
import { type Team, teamKind } from '../../api/management/v1/team.ts';
import { type User, userKind } from '../../api/management/v1/user.ts';
import {
  type VirtualClusterInstance,
  virtualClusterInstanceKind,
} from '../../api/management/v1/virtual-cluster-instance.ts';
import {
  type VirtualClusterTemplate,
  virtualClusterTemplateKind,
} from '../../api/management/v1/virtual-cluster-template.ts';
import type { KubeObject } from '../../api/meta.ts';
import { managementGroup, projectNamespace } from '../../api/naming.ts';
import { type ResourceKind, typedObject } from '../../api/resource.ts';
import type { ReviewedObject, ReviewState } from './access-state.ts';
import { guardedConfigObject, recordConfigOwner } from './config-objects.ts';
import { membersOfProject, readersOf } from './principals.ts';

/** The objects of a test, by kind. */
export interface TestObjects {
  readonly projects?: readonly Project[];
  readonly instances?: readonly VirtualClusterInstance[];
  readonly spaces?: readonly SpaceInstance[];
  readonly clusters?: readonly Cluster[];
  readonly templates?: readonly VirtualClusterTemplate[];
  readonly spaceTemplates?: readonly SpaceTemplate[];
  readonly users?: readonly User[];
  readonly teams?: readonly Team[];
  readonly accessKeys?: readonly AccessKey[];
  readonly events?: readonly KubeObject[];
  /** Secrets and ConfigMaps, each with the hidden part of its record (data that clients never see). */
  readonly configObjects?: readonly ReviewedObject[];
  readonly selfService?: boolean;
}

export function testObject(kind: string, name: string, spec: JsonObject = {}, project?: string): KubeObject {
  return {
    apiVersion: `${managementGroup}/v1`,
    kind,
    metadata: {
      name,
      uid: `uid-of-${project ?? ''}-${name}`,
      ...(project === undefined ? {} : { namespace: projectNamespace(project) }),
    },
    spec,
  };
}

/** Returns a function that creates objects of a cluster-scoped kind. */
const factoryOf =
  <Fields extends JsonObject>(kind: ResourceKind<Fields>) =>
  (name: string, spec?: JsonObject) =>
    typedObject(kind, testObject(kind.kind, name, spec));

export const testProject = factoryOf(projectKind);
export const testInstance = (inProject: string, name: string, spec?: JsonObject) =>
  typedObject(virtualClusterInstanceKind, testObject('VirtualClusterInstance', name, spec, inProject));
export const testSpace = (inProject: string, name: string, spec?: JsonObject) =>
  typedObject(spaceInstanceKind, testObject('SpaceInstance', name, spec, inProject));
export const testCluster = factoryOf(clusterKind);
export const testTemplate = factoryOf(virtualClusterTemplateKind);
export const testSpaceTemplate = factoryOf(spaceTemplateKind);
export const testUserObject = factoryOf(userKind);
export const testTeamObject = factoryOf(teamKind);
export const testAccessKey = factoryOf(accessKeyKind);

/** Returns a Secret or ConfigMap, and its recorded owner. */
export function testConfigObject(kind: 'Secret' | 'ConfigMap', project: string, name: string, owner: Owner) {
  const hidden: JsonObject = {};
  recordConfigOwner(hidden, owner);
  return { object: testObject(kind, name, {}, project), hidden };
}

/** Returns an access state that contains only the given objects and never changes. */
export function accessStateOf(testObjects: TestObjects): ReviewState {
  const {
    projects = [],
    instances = [],
    spaces = [],
    clusters = [],
    templates = [],
    spaceTemplates = [],
    users = [],
    teams = [],
    accessKeys = [],
    events = [],
    configObjects = [],
  } = testObjects;
  const one = <Type extends KubeObject>(objects: readonly Type[]) => {
    const byName = new Map(objects.map((each) => [each.metadata.name ?? '', each]));
    return (name: string) => byName.get(name);
  };
  const byKey = <Type extends KubeObject>(objects: readonly Type[]) => {
    const objectsByKey = new Map(objects.map((each) => [`${each.metadata.namespace}/${each.metadata.name}`, each]));
    return (namespace: string, name: string) => objectsByKey.get(`${namespace}/${name}`);
  };
  const inNamespace = <Type extends KubeObject>(objects: readonly Type[], namespace: string) =>
    objects.filter(({ metadata }) => metadata.namespace === namespace);
  const configObjectsOf = (kind: ResourceKind, namespace: string) =>
    configObjects.filter(({ object }) => object.kind === kind.kind && object.metadata.namespace === namespace);
  return {
    project: one(projects),
    instance: byKey(instances),
    space: byKey(spaces),
    cluster: one(clusters),
    template: one(templates),
    spaceTemplate: one(spaceTemplates),
    user: one(users),
    team: one(teams),
    accessKey: one(accessKeys),
    event: byKey(events),
    configObject(kind, namespace, name) {
      const found = configObjectsOf(kind, namespace).find(({ object }) => object.metadata.name === name);
      return found && guardedConfigObject(found.object, found.hidden);
    },
    teamsOf: (name) =>
      teams.filter((each) => (each.spec?.users ?? []).includes(name)).map(({ metadata }) => metadata.name ?? ''),
    projectsOf: (principal) =>
      new Set(
        projects.filter((each) => membersOfProject(each).has(principal)).map(({ metadata }) => metadata.name ?? ''),
      ),
    hasReadableInstance: (namespace, principal) =>
      [...inNamespace(instances, namespace), ...inNamespace(spaces, namespace)].some((each) =>
        readersOf(each).has(principal),
      ),
    selfService: testObjects.selfService ?? false,
    projects: () => projects,
    namespaces: () => projects.map(({ metadata }) => testObject('Namespace', projectNamespace(metadata.name ?? ''))),
    clusters: () => clusters,
    templates: () => templates,
    spaceTemplates: () => spaceTemplates,
    users: () => users,
    teams: () => teams,
    instancesOf: (name) => inNamespace(instances, projectNamespace(name)),
    spacesOf: (name) => inNamespace(spaces, projectNamespace(name)),
    eventsOf: (namespace) => inNamespace(events, namespace),
    configObjectsOf,
  };
}
