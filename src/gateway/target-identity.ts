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

/** The authorizer of the management API. */
export type Authorize = (identity: Identity, attributes: Attributes) => Decision | Promise<Decision>;

/**
 * The identity of an access key's holder inside a connected cluster: the same name and only the user's own groups.
 * Admins of the installation become cluster admins. The management API still decides whether the caller gets in, and
 * with which requests, even while the caller impersonates someone inside.
 */
export function clusterIdentity(known: Identity, cluster: string, authorize: Authorize): Identity {
  const { user, permissionSignal, accessKey, expiresAt } = known;
  const target: RequestTarget = { type: 'Cluster', cluster };
  return {
    user: clusterUser(user),
    ...(accessKey === undefined ? {} : { accessKey }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
    system: false,
    signal: known.signal,
    ...(permissionSignal === undefined ? {} : { permissionSignal: () => permissionSignal() }),
    preauthorize: (attributes) => authorize(known, withTarget(attributes, target)),
  };
}

const clusterUsers = new WeakMap<UserInfo, UserInfo>();

/** Cached, because each request of the user needs the same value. */
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
 * Drops groups that Kubernetes assigns itself and groups that grant roles in a virtual cluster: they must not be
 * imported.
 */
function ownGroups({ groups }: UserInfo): string[] {
  return groups.filter((group) => !group.startsWith(systemPrefix) && !group.startsWith(rolePrefix));
}

const serviceAccountPrefix = `${systemPrefix}serviceaccount:`;

/**
 * The identity of a caller of the built-in cluster inside a virtual cluster on it. A service account gets a different
 * name, because the virtual cluster may have an unrelated account of the same name. `gate` decides whether the caller
 * gets in.
 */
export function virtualClusterIdentity(
  { user, accessKey, fairQueueKey, signal, expiresAt, permissionSignal }: Identity,
  gate: NonNullable<Identity['preauthorize']>,
): Identity {
  const isAccount = user.name.startsWith(serviceAccountPrefix);
  const isMaster = user.groups.includes(kubernetesMastersGroup);
  return {
    user: {
      ...user,
      name: isAccount ? hostServiceAccountUser(user.name.slice(serviceAccountPrefix.length)) : user.name,
      groups: [...ownGroups(user), kubernetesAuthenticatedGroup, ...(isMaster ? [kubernetesMastersGroup] : [])],
    },
    ...(accessKey === undefined ? {} : { accessKey }),
    ...(fairQueueKey === undefined ? {} : { fairQueueKey }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
    system: false,
    signal,
    ...(permissionSignal === undefined ? {} : { permissionSignal: () => permissionSignal() }),
    preauthorize: gate,
  };
}

/**
 * The identity of a management API user inside the virtual cluster of an instance: the same name, only the user's own
 * groups, and the roles that the instance grants. Admins of the installation become cluster admins.
 */
export function instanceIdentity(
  known: Identity,
  roles: readonly string[],
  gate: NonNullable<Identity['preauthorize']>,
): Identity {
  const { user, permissionSignal, accessKey, signal, expiresAt } = known;
  const roleGroups = isAdmin(user) ? [kubernetesMastersGroup] : roles.map(roleGroup);
  return {
    user: { ...user, groups: [...ownGroups(user), kubernetesAuthenticatedGroup, ...roleGroups] },
    ...(accessKey === undefined ? {} : { accessKey }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
    system: false,
    signal,
    ...(permissionSignal === undefined ? {} : { permissionSignal: () => permissionSignal() }),
    preauthorize: gate,
  };
}
