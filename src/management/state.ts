import { eventKind } from '../api/core/event.ts';
import { namespaceKind } from '../api/core/namespace.ts';
import { accessKeyKind } from '../api/management/v1/access-key.ts';
import { clusterKind } from '../api/management/v1/cluster.ts';
import { projectKind } from '../api/management/v1/project.ts';
import { teamKind } from '../api/management/v1/team.ts';
import { userKind } from '../api/management/v1/user.ts';
import { virtualClusterInstanceKind } from '../api/management/v1/virtual-cluster-instance.ts';
import { virtualClusterTemplateKind } from '../api/management/v1/virtual-cluster-template.ts';
import type { KubeObject, TypedObject } from '../api/meta.ts';
import { projectNamespace } from '../api/naming.ts';
import type { ResourceKind } from '../api/resource.ts';
import type { ReviewState } from '../auth/authz/access-state.ts';
import { membersOfProject } from '../auth/authz/principals.ts';
import { textsAt } from '../lib/json-path.ts';
import type { JsonObject } from '../lib/json-value.ts';
import type { KindStore } from '../registry/kind-store.ts';
import { type KindStores, storeOf } from '../registry/kind-stores.ts';
import { glanceAt } from '../registry/verbs.ts';
import { type AccessKeyIndex, indexAccessKeys, type KeyOwnerMember } from './access-key-index.ts';
import { type InstanceIndex, indexInstances } from './instance-index.ts';
import { indexByWords, type PrincipalIndex } from './principal-index.ts';

/** What the rules of one kind may know of the others: what is true now, without waiting. Objects are frozen. */
export interface ManagementState extends ReviewState {
  /** Another number whenever something is another that keys follow from: a key, a user, a team or a cluster. */
  keysVersion(): number;
  userHidden(name: string): JsonObject | undefined;
  accessKey(name: string): KubeObject | undefined;
  accessKeyHidden(name: string): JsonObject | undefined;
  namespace(name: string): KubeObject | undefined;
  /** The keys for this user, team or subject, in no order. */
  accessKeysOf(member: KeyOwnerMember, name: string): Iterable<KubeObject>;
  /** How many there are, without looking at them. */
  accessKeyCountOf(member: KeyOwnerMember, name: string): number;
  /** The names of the keys that were made with this one, directly or not. */
  keysMadeWith(keyName: string): Iterable<string>;
  /** How many instances there are on this cluster. */
  instancesOn(cluster: string): number;
  /** How many instances a project has. */
  instanceCount(project: string): number;
  /** How many of them belong to that owner, named by `ownerKey`. */
  instancesOwnedBy(project: string, owner: string): number;
  /** Names of the owners, users and teams alike, and how many of the project's instances each has. */
  instanceOwners(project: string): Iterable<readonly [owner: string, count: number]>;
}

/** The stores need the kinds and the kinds' rules need the stores: the assembly attaches them once they are open. */
export interface AttachableState extends ManagementState {
  attach(stores: KindStores): void;
}

export interface StateOptions {
  /** Everybody may create projects. */
  readonly selfService: boolean;
}

/** What is kept besides the objects themselves, from the moment on that the stores are attached. */
interface Indexes {
  readonly keys: AccessKeyIndex;
  /** Teams by their users. */
  readonly teams: PrincipalIndex;
  /** Projects by their members. */
  readonly projects: PrincipalIndex;
  readonly instances: InstanceIndex;
}

export function createManagementState(options: StateOptions): AttachableState {
  let attached: KindStores | undefined;
  let indexes: Indexes | undefined;
  let keysVersion = 0;
  const attachedStore = <Fields extends JsonObject>(kind: ResourceKind<Fields>): KindStore<Fields> => {
    if (attached === undefined) throw new Error('the management stores are not attached yet');
    return storeOf(attached, kind);
  };
  const one =
    <Fields extends JsonObject>(kind: ResourceKind<Fields>) =>
    (name: string) =>
      attachedStore(kind).peek('', name)?.object;
  function* all<Fields extends JsonObject>(
    kind: ResourceKind<Fields>,
    namespace?: string,
  ): Iterable<TypedObject<Fields>> {
    for (const served of attachedStore(kind).peekAll(namespace)) yield glanceAt(served);
  }
  return {
    selfService: options.selfService,
    attach(stores) {
      attached = stores;
      indexes = {
        keys: indexAccessKeys(attachedStore(accessKeyKind)),
        teams: indexByWords(attachedStore(teamKind), (team) => new Set(textsAt(team, 'spec', 'users'))),
        projects: indexByWords(attachedStore(projectKind), membersOfProject),
        instances: indexInstances(attachedStore(virtualClusterInstanceKind)),
      };
      // Behind the indexes: whoever finds another number finds those as they are now, too.
      const kindsOfKeys: readonly ResourceKind[] = [accessKeyKind, userKind, teamKind, clusterKind];
      for (const kind of kindsOfKeys) attachedStore(kind).listen(() => keysVersion++);
      keysVersion++;
    },
    keysVersion() {
      return keysVersion;
    },
    project: one(projectKind),
    cluster: one(clusterKind),
    template: one(virtualClusterTemplateKind),
    user: one(userKind),
    userHidden: (name) => attachedStore(userKind).peekHidden('', name),
    team: one(teamKind),
    accessKey: one(accessKeyKind),
    accessKeyHidden: (name) => attachedStore(accessKeyKind).peekHidden('', name),
    namespace: one(namespaceKind),
    instance: (namespace, name) => attachedStore(virtualClusterInstanceKind).peek(namespace, name)?.object,
    event: (namespace, name) => attachedStore(eventKind).peek(namespace, name)?.object,
    projects: () => all(projectKind),
    namespaces: () => all(namespaceKind),
    users: () => all(userKind),
    teams: () => all(teamKind),
    clusters: () => all(clusterKind),
    templates: () => all(virtualClusterTemplateKind),
    *accessKeysOf(member, name) {
      for (const keyName of indexes?.keys.of(member, name) ?? []) {
        const key = attachedStore(accessKeyKind).peek('', keyName);
        if (key !== undefined) yield key.object;
      }
    },
    accessKeyCountOf: (member, name) => indexes?.keys.of(member, name).size ?? 0,
    keysMadeWith: (keyName) => indexes?.keys.madeWith(keyName) ?? [],
    instancesOn: (cluster) => indexes?.instances.onCluster(cluster) ?? 0,
    instanceCount: (project) => attachedStore(virtualClusterInstanceKind).count(projectNamespace(project)),
    instancesOwnedBy: (project, owner) => indexes?.instances.ownedBy(projectNamespace(project), owner) ?? 0,
    instanceOwners: (project) => indexes?.instances.owners(projectNamespace(project)) ?? [],
    instancesOf: (project) => all(virtualClusterInstanceKind, projectNamespace(project)),
    eventsOf: (namespace) => all(eventKind, namespace),
    teamsOf: (user) => indexes?.teams.sorted(user) ?? [],
    projectsOf: (principal) => indexes?.projects.of(principal) ?? noProjects,
    hasInstance: (namespace, principal) => indexes?.instances.isReader(namespace, principal) ?? false,
  };
}

const noProjects: ReadonlySet<string> = new Set();
