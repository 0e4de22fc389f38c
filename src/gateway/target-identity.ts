import {
  hostServiceAccountUser,
  kubernetesAuthenticatedGroup,
  kubernetesMastersGroup,
  roleGroup,
  systemPrefix,
} from '../api/naming.ts';
import type { UserInfo } from '../api/user-info.ts';
import { type Attributes, type Decision, type RequestTarget, withTarget } from '../auth/authz/attributes.ts';
import { isAdmin } from '../auth/authz/subject.ts';
import type { Identity } from '../auth/identity.ts';

/** Decides with the permissions of the management API whether a caller may make a request. */
export type ManagementAuthorizer = (identity: Identity, attributes: Attributes) => Decision | Promise<Decision>;

/**
 * Returns the identity of a management API user inside a connected cluster: the same name and the user's own groups.
 * Administrators of the installation become cluster administrators. The management API decides which requests the user
 * may send to the cluster. This decision depends on the user's own name, even if the user impersonates another user in
 * the cluster.
 */
export function clusterIdentity(known: Identity, cluster: string, authorize: ManagementAuthorizer): Identity {
  const target: RequestTarget = { type: 'Cluster', cluster };
  return {
    user: clusterUser(known.user),
    responsible: known.user.name,
    ...credentialOf(known),
    preauthorize: (attributes) => authorize(known, withTarget(attributes, target)),
  };
}

const clusterUsers = new WeakMap<UserInfo, UserInfo>();

/** Returns the user's name and groups inside a cluster. Cached, because each request needs them. */
function clusterUser(user: UserInfo): UserInfo {
  const known = clusterUsers.get(user);
  if (known !== undefined) return known;
  const groups = [...ownGroups(user), kubernetesAuthenticatedGroup];
  if (isAdmin(user)) groups.push(kubernetesMastersGroup);
  const inside = { ...user, groups };
  clusterUsers.set(user, inside);
  return inside;
}

const rolePrefix = roleGroup('');

/**
 * Returns the groups that a user has in a cluster. Removes groups that Kubernetes itself assigns and groups that grant
 * roles in a virtual cluster, because they must not apply in another cluster.
 */
function ownGroups({ groups }: UserInfo): string[] {
  return groups.filter((group) => !group.startsWith(systemPrefix) && !group.startsWith(rolePrefix));
}

const serviceAccountPrefix = `${systemPrefix}serviceaccount:`;

/**
 * Returns the identity that a caller of the built-in cluster has inside a virtual cluster on it. A service account gets
 * a different name, because the virtual cluster may have another service account of the same name. `preauthorize`
 * decides whether the caller may use the virtual cluster.
 */
export function virtualClusterIdentity(known: Identity, preauthorize: NonNullable<Identity['preauthorize']>): Identity {
  const { user, responsible, fairQueueKey } = known;
  const isAccount = user.name.startsWith(serviceAccountPrefix);
  const isMaster = user.groups.includes(kubernetesMastersGroup);
  return {
    user: {
      ...user,
      name: isAccount ? hostServiceAccountUser(user.name.slice(serviceAccountPrefix.length)) : user.name,
      groups: [...ownGroups(user), kubernetesAuthenticatedGroup, ...(isMaster ? [kubernetesMastersGroup] : [])],
    },
    ...(responsible === undefined ? {} : { responsible }),
    ...credentialOf(known),
    ...(fairQueueKey === undefined ? {} : { fairQueueKey }),
    preauthorize,
  };
}

/**
 * Returns the identity of a management API user inside the virtual cluster of an instance: the same name, the user's
 * own groups, and the roles that the instance grants. Administrators of the installation become cluster administrators.
 */
export function instanceIdentity(
  known: Identity,
  roles: readonly string[],
  preauthorize: NonNullable<Identity['preauthorize']>,
): Identity {
  const { user } = known;
  const roleGroups = isAdmin(user) ? [kubernetesMastersGroup] : roles.map(roleGroup);
  return {
    user: { ...user, groups: [...ownGroups(user), kubernetesAuthenticatedGroup, ...roleGroups] },
    responsible: user.name,
    ...credentialOf(known),
    preauthorize,
  };
}

/** Returns the members of an identity that belong to its credential. These members are the same in every cluster. */
function credentialOf(known: Identity): Omit<Identity, 'user' | 'preauthorize'> {
  const { accessKey, expiresAt, signal, permissionSignal, allowsAddress } = known;
  return {
    ...(accessKey === undefined ? {} : { accessKey }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
    system: false,
    signal,
    ...(permissionSignal === undefined ? {} : { permissionSignal: () => permissionSignal() }),
    ...(allowsAddress === undefined ? {} : { allowsAddress: (address: string) => allowsAddress(address) }),
  };
}
