import type { KubeObject } from '../../api/meta.ts';
import { managementGroup, projectNamespace } from '../../api/naming.ts';
import { textsAt } from '../../lib/json-path.ts';
import type { JsonObject } from '../../lib/json-value.ts';
import type { ReviewState } from './access-state.ts';
import { membersOfProject, readersOf } from './principals.ts';

/** All existing objects, by kind. */
export interface World {
  readonly projects?: readonly KubeObject[];
  readonly instances?: readonly KubeObject[];
  readonly clusters?: readonly KubeObject[];
  readonly templates?: readonly KubeObject[];
  readonly users?: readonly KubeObject[];
  readonly teams?: readonly KubeObject[];
  readonly events?: readonly KubeObject[];
  readonly selfService?: boolean;
}

export function object(kind: string, name: string, spec: JsonObject = {}, project?: string): KubeObject {
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

export const project = (name: string, spec?: JsonObject) => object('Project', name, spec);
export const instance = (inProject: string, name: string, spec?: JsonObject) =>
  object('VirtualClusterInstance', name, spec, inProject);
export const cluster = (name: string, spec?: JsonObject) => object('Cluster', name, spec);
export const template = (name: string, spec?: JsonObject) => object('VirtualClusterTemplate', name, spec);
export const user = (name: string, spec?: JsonObject) => object('User', name, spec);
export const team = (name: string, spec?: JsonObject) => object('Team', name, spec);

/** A static state: the objects and the indexes built from them. */
export function stateOf(world: World): ReviewState {
  const { projects = [], instances = [], clusters = [], templates = [], users = [], teams = [], events = [] } = world;
  const one = (objects: readonly KubeObject[]) => {
    const byName = new Map(objects.map((each) => [each.metadata.name ?? '', each]));
    return (name: string) => byName.get(name);
  };
  const byKey = (objects: readonly KubeObject[]) => {
    const objectsByKey = new Map(objects.map((each) => [`${each.metadata.namespace}/${each.metadata.name}`, each]));
    return (namespace: string, name: string) => objectsByKey.get(`${namespace}/${name}`);
  };
  const inNamespace = (objects: readonly KubeObject[], namespace: string) =>
    objects.filter(({ metadata }) => metadata.namespace === namespace);
  return {
    project: one(projects),
    instance: byKey(instances),
    cluster: one(clusters),
    template: one(templates),
    user: one(users),
    team: one(teams),
    event: byKey(events),
    teamsOf: (name) =>
      teams.filter((each) => textsAt(each, 'spec', 'users').includes(name)).map(({ metadata }) => metadata.name ?? ''),
    projectsOf: (principal) =>
      new Set(
        projects.filter((each) => membersOfProject(each).has(principal)).map(({ metadata }) => metadata.name ?? ''),
      ),
    hasInstance: (namespace, principal) =>
      inNamespace(instances, namespace).some((each) => readersOf(each).has(principal)),
    selfService: world.selfService ?? false,
    projects: () => projects,
    namespaces: () => projects.map(({ metadata }) => object('Namespace', projectNamespace(metadata.name ?? ''))),
    clusters: () => clusters,
    templates: () => templates,
    users: () => users,
    teams: () => teams,
    instancesOf: (name) => inNamespace(instances, projectNamespace(name)),
    eventsOf: (namespace) => inNamespace(events, namespace),
  };
}
