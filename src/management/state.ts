import { compareBytes, type JsonObject } from '@flotilla/json';
import { configMapKind } from '../api/core/config-map.ts';
import { eventKind } from '../api/core/event.ts';
import { namespaceKind } from '../api/core/namespace.ts';
import { secretKind } from '../api/core/secret.ts';
import { providerTeams } from '../api/management/identities.ts';
import { type AccessKey, accessKeyKind } from '../api/management/v1/access-key.ts';
import { clusterKind } from '../api/management/v1/cluster.ts';
import { type ProjectWebhook, projectWebhookKind } from '../api/management/v1/notifications/project-webhook.ts';
import { projectKind } from '../api/management/v1/project.ts';
import { spaceInstanceKind } from '../api/management/v1/space-instance.ts';
import { spaceTemplateKind } from '../api/management/v1/space-template.ts';
import { teamKind } from '../api/management/v1/team.ts';
import { type User, userKind } from '../api/management/v1/user.ts';
import { virtualClusterInstanceKind } from '../api/management/v1/virtual-cluster-instance.ts';
import { virtualClusterTemplateKind } from '../api/management/v1/virtual-cluster-template.ts';
import { type AnyFields, apiVersionOf, type KubeObject, type TypedObject } from '../api/meta.ts';
import { projectNamespace } from '../api/naming.ts';
import type { FieldsOf, ResourceKind } from '../api/resource.ts';
import type { ReviewState } from '../auth/authz/access-state.ts';
import { guardedConfigObject } from '../auth/authz/config-objects.ts';
import { membersOfProject } from '../auth/authz/principals.ts';
import type { HiddenPart, KindStore } from '../registry/kind-store.ts';
import { type KindStores, storeOf } from '../registry/kind-stores.ts';
import { peekWithoutManagedFields } from '../registry/verbs.ts';
import type { Guard } from '../registry/write/guard.ts';
import type { RequiredCheck } from '../registry/write/required-check.ts';
import { type AccessKeyHidden, accessKeyHiddenOf } from './access-keys/access-key-hidden.ts';
import { type AccessKeyIndex, indexAccessKeys, type KeyOwnerField } from './access-keys/access-key-index.ts';
import { hasSameIdentities } from './identities/provider-rights.ts';
import { type UserHidden, userHiddenOf } from './identities/user-hidden.ts';
import { type InstanceIndex, indexInstances } from './instances/instance-index.ts';
import { indexNamesBy, type NameIndex } from './name-index.ts';
import { type WebhookHidden, webhookHiddenOf } from './webhooks/webhook-hidden.ts';

/**
 * The current state of all management kinds, for validation and admission. Lookups are synchronous. Objects are frozen.
 */
export interface ManagementState extends ReviewState {
  /** Returns a counter that increases with each change to an access key, user, team or cluster. */
  keysVersion(): number;
  userHidden(name: string): UserHidden | undefined;
  /** False if users may not log in with a password. */
  readonly passwordsEnabled: boolean;
  /** Returns the names of the users who are members of the team because of groups at an identity provider. */
  providerMembersOf(team: string): ReadonlySet<string>;
  /** Returns the name of the user with this subject at the identity provider. */
  userWithSubject(subject: string): string | undefined;
  accessKeyHidden(name: string): AccessKeyHidden | undefined;
  accessKeys(): Iterable<AccessKey>;
  namespace(name: string): KubeObject | undefined;
  /** Returns the access keys of this user, team or subject, in no particular order. */
  accessKeysOf(member: KeyOwnerField, name: string): Iterable<AccessKey>;
  /** Returns the number of access keys of this user, team or subject, without loading the keys. */
  accessKeyCountOf(member: KeyOwnerField, name: string): number;
  /** Returns the names of the access keys that were created with this key, directly or through other keys. */
  keysCreatedWith(keyName: string): Iterable<string>;
  /** Returns the names of the access keys with groups that depend on this user (`recordFollowedGroups`). */
  keysFollowing(user: string): Iterable<string>;
  /** Returns the number of instances of all kinds on this cluster. */
  instancesOn(cluster: string): number;
  /** Returns the number of instances of this kind in a project. */
  instanceCount(kind: InstanceKind, project: string): number;
  /** Returns the size of all instances of this kind in a project, in bytes of JSON. */
  instanceBytes(kind: InstanceKind, project: string): number;
  /**
   * Returns the number of instances of this kind in a project that belong to an owner. `owner` is a result of
   * `ownerKey`.
   */
  instancesOwnedBy(kind: InstanceKind, project: string, owner: string): number;
  /** Returns the number of configuration objects of this kind in a project. */
  configObjectCount(kind: ResourceKind, project: string): number;
  /** Returns the size of all configuration objects in this project, in bytes of JSON. */
  configObjectBytes(project: string): number;
  /** Returns the webhooks of a namespace. */
  webhooksOf(namespace: string): Iterable<ProjectWebhook>;
  webhook(namespace: string, name: string): ProjectWebhook | undefined;
  webhookHidden(namespace: string, name: string): WebhookHidden | undefined;
  webhookCount(namespace: string): number;
  /**
   * True if other processes may write to the store. Each limit then needs a guard: a row that every write under the
   * limit checks and replaces.
   */
  isShared(): boolean;
  /**
   * Takes the guard of a limit before objects are counted (`KindStore.takeGuard`). When the promise resolves, the state
   * contains all earlier writes.
   */
  takeGuard(limit: string, subject: string): Promise<Guard>;
  /** Waits until the state contains all writes that were made before this call. */
  caughtUp(): Promise<void>;
  /**
   * Returns a check for a later write. The write fails if the cluster has changed since this call. `undefined` if the
   * cluster does not exist.
   */
  clusterUnchanged(name: string): RequiredCheck | undefined;
  /**
   * Returns a check for a later write. The write fails if the user has changed since this call. `undefined` if the user
   * does not exist.
   */
  userUnchanged(name: string): RequiredCheck | undefined;
  /**
   * Returns a check for a later write. The write fails if the namespace has changed since this call. `undefined` if the
   * namespace does not exist.
   */
  namespaceUnchanged(name: string): RequiredCheck | undefined;
  /** Returns the names of the users and teams that own instances of this kind in a project, and how many each owns. */
  instanceOwners(kind: InstanceKind, project: string): Iterable<readonly [owner: string, count: number]>;
}

/** The kinds of instances. Limits count the instances of each kind separately. */
export const instanceKinds = [virtualClusterInstanceKind, spaceInstanceKind] as const;
export type InstanceKind = (typeof instanceKinds)[number];

/** A state without stores. The stores are attached later, because the kinds of the stores depend on the state. */
export interface AttachableState extends ManagementState {
  attach(stores: KindStores): void;
}

export interface ManagementStateOptions {
  /** True if every user and team may create projects. */
  readonly selfService: boolean;
  /** False if users may not log in with a password. Optional; defaults to true. */
  readonly passwordsEnabled?: boolean;
}

/** Indexes over the stored objects. They are built when the stores are attached. */
interface Indexes {
  readonly keys: AccessKeyIndex;
  /** The names of the teams of each user. */
  readonly teams: NameIndex;
  /** The names of the users who are members of each team because of groups at an identity provider. */
  readonly providerMembers: NameIndex;
  /** The names of the users with each subject. */
  readonly subjects: NameIndex;
  /** The names of the projects of each member. */
  readonly projects: NameIndex;
  readonly instances: InstanceIndex;
  readonly spaces: InstanceIndex;
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
  const counts = instanceCounts((kind) => attachedStore<AnyFields>(kind), {
    of: (kind) => (kind === spaceInstanceKind ? indexes?.spaces : indexes?.instances),
  });
  return {
    ...counts,
    ...webhookLookups(() => attachedStore(projectWebhookKind)),
    ...accessKeyLookups(
      () => attachedStore(accessKeyKind),
      () => indexes?.keys,
    ),
    ...configObjectLookups((kind) => attachedStore<AnyFields>(kind)),
    selfService: options.selfService,
    passwordsEnabled: options.passwordsEnabled !== false,
    attach(stores) {
      attached = stores;
      indexes = createIndexes(stores);
      // The version counter is subscribed to changes after the indexes, so the indexes are up to date whenever the
      // version increases.
      const kindsOfKeys: readonly ResourceKind[] = [accessKeyKind, userKind, teamKind, clusterKind];
      for (const kind of kindsOfKeys) attachedStore(kind).listen(() => keysVersion++);
      keysVersion++;
    },
    keysVersion: () => keysVersion,
    project: one(projectKind),
    cluster: one(clusterKind),
    template: one(virtualClusterTemplateKind),
    spaceTemplate: one(spaceTemplateKind),
    user: one(userKind),
    userHidden: (name) => userHiddenOf(attachedStore(userKind).peekHidden('', name)),
    userWithSubject: (subject) => indexes?.subjects.sorted(subject)[0],
    team: one(teamKind),
    accessKey: one(accessKeyKind),
    accessKeys: () => all(accessKeyKind),
    namespace: one(namespaceKind),
    instance: (namespace, name) => attachedStore(virtualClusterInstanceKind).peek(namespace, name)?.object,
    space: (namespace, name) => attachedStore(spaceInstanceKind).peek(namespace, name)?.object,
    event: (namespace, name) => attachedStore(eventKind).peek(namespace, name)?.object,
    projects: () => all(projectKind),
    namespaces: () => all(namespaceKind),
    users: () => all(userKind),
    teams: () => all(teamKind),
    clusters: () => all(clusterKind),
    templates: () => all(virtualClusterTemplateKind),
    spaceTemplates: () => all(spaceTemplateKind),
    isShared: () => attachedStore(virtualClusterInstanceKind).isShared,
    takeGuard: (limit, subject) => attachedStore(virtualClusterInstanceKind).takeGuard(limit, subject),
    async caughtUp() {
      await attachedStore(virtualClusterInstanceKind).freshRevision();
    },
    clusterUnchanged: (name) => attachedStore(clusterKind).unchangedCheck('', name),
    userUnchanged: (name) => attachedStore(userKind).unchangedCheck('', name),
    namespaceUnchanged: (name) => attachedStore(namespaceKind).unchangedCheck('', name),
    instancesOf: (project) => all(virtualClusterInstanceKind, projectNamespace(project)),
    spacesOf: (project) => all(spaceInstanceKind, projectNamespace(project)),
    eventsOf: (namespace) => all(eventKind, namespace),
    teamsOf: (user) => withProviderTeams(indexes?.teams.sorted(user) ?? [], one(userKind)(user), one(teamKind)),
    providerMembersOf: (team) => indexes?.providerMembers.of(team) ?? noNames,
    projectsOf: (principal) => indexes?.projects.of(principal) ?? noNames,
  };
}

function createIndexes(stores: KindStores): Indexes {
  return {
    keys: indexAccessKeys(storeOf(stores, accessKeyKind)),
    teams: indexNamesBy(storeOf(stores, teamKind), (team) => new Set(team.spec?.users)),
    providerMembers: indexNamesBy(storeOf(stores, userKind), (user) => new Set(providerTeams(user)), hasSameIdentities),
    subjects: indexNamesBy(storeOf(stores, userKind), ({ spec }) => (spec?.subject ? [spec.subject] : [])),
    projects: indexNamesBy(storeOf(stores, projectKind), membersOfProject),
    instances: indexInstances(storeOf(stores, virtualClusterInstanceKind)),
    spaces: indexInstances(storeOf(stores, spaceInstanceKind)),
  };
}

/**
 * Adds the existing teams that a user is a member of because of groups at identity providers. The result is in byte
 * order.
 */
function withProviderTeams(
  teams: readonly string[],
  user: User | undefined,
  find: (name: string) => unknown,
): readonly string[] {
  const provided = providerTeams(user).filter((team) => find(team) !== undefined);
  return provided.length === 0 ? teams : [...new Set([...teams, ...provided])].sort(compareBytes);
}

type WebhookLookups = Pick<ManagementState, 'webhooksOf' | 'webhook' | 'webhookHidden' | 'webhookCount'>;

/** The part of the state that finds webhooks. */
function webhookLookups(store: () => KindStore<FieldsOf<typeof projectWebhookKind>>): WebhookLookups {
  return {
    *webhooksOf(namespace) {
      for (const served of store().peekAll(namespace)) yield peekWithoutManagedFields(served);
    },
    webhook: (namespace, name) => store().peek(namespace, name)?.object,
    webhookHidden: (namespace, name) => webhookHiddenOf(store().peekHidden(namespace, name)),
    webhookCount: (namespace) => store().count(namespace),
  };
}

type InstanceCounts = Pick<
  ManagementState,
  'instancesOn' | 'instanceCount' | 'instanceBytes' | 'instancesOwnedBy' | 'instanceOwners' | 'hasReadableInstance'
>;

type AccessKeyLookups = Pick<
  ManagementState,
  'accessKeyHidden' | 'accessKeysOf' | 'accessKeyCountOf' | 'keysCreatedWith' | 'keysFollowing'
>;

/**
 * The part of the state that finds access keys by the objects that they refer to. There is no index until the stores
 * are attached.
 */
function accessKeyLookups(
  store: () => KindStore<FieldsOf<typeof accessKeyKind>>,
  index: () => AccessKeyIndex | undefined,
): AccessKeyLookups {
  return {
    accessKeyHidden: (name) => accessKeyHiddenOf(store().peekHidden('', name)),
    *accessKeysOf(member, name) {
      for (const keyName of index()?.of(member, name) ?? []) {
        const key = store().peek('', keyName);
        if (key !== undefined) yield key.object;
      }
    },
    accessKeyCountOf: (member, name) => index()?.of(member, name).size ?? 0,
    keysCreatedWith: (keyName) => index()?.createdWith(keyName) ?? [],
    keysFollowing: (user) => index()?.following(user) ?? [],
  };
}

type ConfigObjectLookups = Pick<
  ManagementState,
  'configObjectCount' | 'configObjectBytes' | 'configObject' | 'configObjectsOf'
>;

/** The part of the state that finds configuration objects. */
function configObjectLookups(store: (kind: ResourceKind) => KindStore<AnyFields>): ConfigObjectLookups {
  return {
    configObjectCount: (kind, project) => store(kind).count(projectNamespace(project)),
    configObjectBytes: (project) => bytesOf(store(secretKind), project) + bytesOf(store(configMapKind), project),
    configObject(kind, namespace, name) {
      const [found] = store(kind).peekHiddenParts(namespace, name);
      return found && guardedConfigObject(bareObject(kind, found), found.hidden);
    },
    *configObjectsOf(kind, namespace) {
      for (const part of store(kind).peekHiddenParts(namespace)) {
        yield { object: bareObject(kind, part), hidden: part.hidden };
      }
    },
  };
}

/** The part of the state that counts instances of both kinds. `indexes` is empty until the stores are attached. */
function instanceCounts(
  store: (kind: ResourceKind) => KindStore<AnyFields>,
  indexes: { of(kind: InstanceKind): InstanceIndex | undefined },
): InstanceCounts {
  const all = () => instanceKinds.map((kind) => indexes.of(kind));
  return {
    instancesOn: (cluster) => all().reduce((count, index) => count + (index?.onCluster(cluster) ?? 0), 0),
    instanceCount: (kind, project) => store(kind).count(projectNamespace(project)),
    instanceBytes: (kind, project) => bytesOf(store(kind), project),
    instancesOwnedBy: (kind, project, owner) => indexes.of(kind)?.ownedBy(projectNamespace(project), owner) ?? 0,
    instanceOwners: (kind, project) => indexes.of(kind)?.owners(projectNamespace(project)) ?? [],
    hasReadableInstance: (namespace, principal) => all().some((index) => index?.isReader(namespace, principal)),
  };
}

const noNames: ReadonlySet<string> = new Set();

/** Returns the size of all objects of a kind in a project, in bytes of JSON. */
function bytesOf<Fields extends JsonObject>(store: KindStore<Fields>, project: string): number {
  return store.peekAll(projectNamespace(project)).reduce((bytes, { size = 0 }) => bytes + size, 0);
}

/** Returns an object whose only content is its name. */
function bareObject(kind: ResourceKind, { namespace, name }: HiddenPart): KubeObject {
  return { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata: { namespace, name } };
}
