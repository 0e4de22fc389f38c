import type { JsonObject } from '@flotilla/json';
import { configMapKind } from '../api/core/config-map.ts';
import { eventKind } from '../api/core/event.ts';
import { namespaceKind } from '../api/core/namespace.ts';
import { secretKind } from '../api/core/secret.ts';
import { type AccessKey, accessKeyKind } from '../api/management/v1/access-key.ts';
import { clusterKind } from '../api/management/v1/cluster.ts';
import { projectKind } from '../api/management/v1/project.ts';
import { teamKind } from '../api/management/v1/team.ts';
import { userKind } from '../api/management/v1/user.ts';
import { virtualClusterInstanceKind } from '../api/management/v1/virtual-cluster-instance.ts';
import { virtualClusterTemplateKind } from '../api/management/v1/virtual-cluster-template.ts';
import { apiVersionOf, type KubeObject, type TypedObject } from '../api/meta.ts';
import { projectNamespace } from '../api/naming.ts';
import type { ResourceKind } from '../api/resource.ts';
import type { ReviewState } from '../auth/authz/access-state.ts';
import { guardedConfigObject } from '../auth/authz/config-objects.ts';
import { membersOfProject } from '../auth/authz/principals.ts';
import type { HiddenPart, KindStore } from '../registry/kind-store.ts';
import { type KindStores, storeOf } from '../registry/kind-stores.ts';
import { peekWithoutManagedFields } from '../registry/verbs.ts';
import type { Guard } from '../registry/write/guard.ts';
import type { RequiredCheck } from '../registry/write/required-check.ts';
import { type AccessKeyIndex, indexAccessKeys, type KeyOwnerField } from './access-keys/access-key-index.ts';
import { type InstanceIndex, indexInstances } from './instances/instance-index.ts';
import { indexNamesBy, type NameIndex } from './name-index.ts';

/**
 * The current state of all management kinds, for validation and admission. Lookups are synchronous. Objects are frozen.
 */
export interface ManagementState extends ReviewState {
  /** Returns a counter that increases with each change to an access key, user, team or cluster. */
  keysVersion(): number;
  userHidden(name: string): JsonObject | undefined;
  accessKey(name: string): AccessKey | undefined;
  accessKeyHidden(name: string): JsonObject | undefined;
  namespace(name: string): KubeObject | undefined;
  /** Returns the access keys of this user, team or subject, in no particular order. */
  accessKeysOf(member: KeyOwnerField, name: string): Iterable<AccessKey>;
  /** Returns the number of access keys of this user, team or subject, without loading the keys. */
  accessKeyCountOf(member: KeyOwnerField, name: string): number;
  /** Returns the names of the access keys that were created with this key, directly or through other keys. */
  keysCreatedWith(keyName: string): Iterable<string>;
  /** Returns the number of instances on this cluster. */
  instancesOn(cluster: string): number;
  /** Returns the number of instances in this project. */
  instanceCount(project: string): number;
  /** Returns the size of all instances in this project, in bytes of JSON. */
  instanceBytes(project: string): number;
  /** Returns the number of instances in a project that belong to an owner. `owner` is a result of `ownerKey`. */
  instancesOwnedBy(project: string, owner: string): number;
  /** Returns the number of configuration objects of this kind in a project. */
  configObjectCount(kind: ResourceKind, project: string): number;
  /** Returns the size of all configuration objects in this project, in bytes of JSON. */
  configObjectBytes(project: string): number;
  /** True if other processes may write to the store. Limits then need guards. */
  isShared(): boolean;
  /**
   * Takes the guard of a limit before objects are counted (`KindStore.takeGuard`). The state then contains all earlier
   * writes.
   */
  takeGuard(limit: string, subject: string): Promise<Guard>;
  /** Waits until the state contains all writes that were made before this call. */
  caughtUp(): Promise<void>;
  /** Returns a check that fails if the cluster has changed since this call. `undefined` if it does not exist. */
  clusterUnchanged(name: string): RequiredCheck | undefined;
  /** Returns a check that fails if the namespace has changed since this call. `undefined` if it does not exist. */
  namespaceUnchanged(name: string): RequiredCheck | undefined;
  /** Returns the names of the users and teams that own instances in a project, and how many each of them owns. */
  instanceOwners(project: string): Iterable<readonly [owner: string, count: number]>;
}

/** A state without stores. The stores are attached later, because the kinds of the stores depend on the state. */
export interface AttachableState extends ManagementState {
  attach(stores: KindStores): void;
}

export interface ManagementStateOptions {
  /** True if every user and team may create projects. */
  readonly selfService: boolean;
}

/** Indexes over the stored objects. They are built when the stores are attached. */
interface Indexes {
  readonly keys: AccessKeyIndex;
  /** The names of the teams of each user. */
  readonly teams: NameIndex;
  /** The names of the projects of each member. */
  readonly projects: NameIndex;
  readonly instances: InstanceIndex;
}

export function createManagementState(options: ManagementStateOptions): AttachableState {
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
    for (const served of attachedStore(kind).peekAll(namespace)) yield peekWithoutManagedFields(served);
  }
  return {
    selfService: options.selfService,
    attach(stores) {
      attached = stores;
      indexes = {
        keys: indexAccessKeys(attachedStore(accessKeyKind)),
        teams: indexNamesBy(attachedStore(teamKind), (team) => new Set(team.spec?.users)),
        projects: indexNamesBy(attachedStore(projectKind), membersOfProject),
        instances: indexInstances(attachedStore(virtualClusterInstanceKind)),
      };
      // Subscribed after the indexes, so that the indexes are up to date whenever the version increases.
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
    keysCreatedWith: (keyName) => indexes?.keys.createdWith(keyName) ?? [],
    instancesOn: (cluster) => indexes?.instances.onCluster(cluster) ?? 0,
    instanceCount: (project) => attachedStore(virtualClusterInstanceKind).count(projectNamespace(project)),
    instanceBytes: (project) => bytesOf(attachedStore(virtualClusterInstanceKind), project),
    configObjectCount: (kind, project) => attachedStore(kind).count(projectNamespace(project)),
    configObjectBytes: (project) =>
      bytesOf(attachedStore(secretKind), project) + bytesOf(attachedStore(configMapKind), project),
    instancesOwnedBy: (project, owner) => indexes?.instances.ownedBy(projectNamespace(project), owner) ?? 0,
    instanceOwners: (project) => indexes?.instances.owners(projectNamespace(project)) ?? [],
    isShared: () => attachedStore(virtualClusterInstanceKind).isShared,
    takeGuard: (limit, subject) => attachedStore(virtualClusterInstanceKind).takeGuard(limit, subject),
    async caughtUp() {
      await attachedStore(virtualClusterInstanceKind).freshRevision();
    },
    clusterUnchanged: (name) => attachedStore(clusterKind).unchangedCheck('', name),
    namespaceUnchanged: (name) => attachedStore(namespaceKind).unchangedCheck('', name),
    configObject(kind, namespace, name) {
      const [found] = attachedStore(kind).peekHiddenParts(namespace, name);
      return found && guardedConfigObject(bareObject(kind, found), found.hidden);
    },
    *configObjectsOf(kind, namespace) {
      for (const part of attachedStore(kind).peekHiddenParts(namespace)) {
        yield { object: bareObject(kind, part), hidden: part.hidden };
      }
    },
    instancesOf: (project) => all(virtualClusterInstanceKind, projectNamespace(project)),
    eventsOf: (namespace) => all(eventKind, namespace),
    teamsOf: (user) => indexes?.teams.sorted(user) ?? [],
    projectsOf: (principal) => indexes?.projects.of(principal) ?? noProjects,
    hasReadableInstance: (namespace, principal) => indexes?.instances.isReader(namespace, principal) ?? false,
  };
}

const noProjects: ReadonlySet<string> = new Set();

/** Returns the size of all objects of a kind in a project, in bytes of JSON. */
function bytesOf<Fields extends JsonObject>(store: KindStore<Fields>, project: string): number {
  return store.peekAll(projectNamespace(project)).reduce((bytes, { size = 0 }) => bytes + size, 0);
}

/** Returns an object that has nothing but its name. */
function bareObject(kind: ResourceKind, { namespace, name }: HiddenPart): KubeObject {
  return { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata: { namespace, name } };
}
