import {
  hostAccountUser,
  kubernetesAuthenticatedGroup,
  kubernetesMastersGroup,
  roleGroup,
  systemPrefix,
} from '../api/naming.ts';
import type { UserInfo } from '../api/user-info.ts';
import { type Attributes, type Decision, type RequestTarget, withTarget } from '../auth/authz/attributes.ts';
import { isAdmin } from '../auth/authz/subject.ts';
import type { Identity } from '../auth/identity.ts';

/** Decides for the management API. */
export type Authorize = (identity: Identity, attributes: Attributes) => Decision | Promise<Decision>;

/**
 * Somebody with an access key as a connected cluster knows them: the same name, and groups that are somebody's own.
 * Admins of the installation may do everything. Whether they get in at all, and with which requests, stays for the
 * management API to say, whomever they act as inside.
 */
export function inCluster(known: Identity, cluster: string, authorize: Authorize): Identity {
  const { user, rights, accessKey, ends } = known;
  const target: RequestTarget = { type: 'Cluster', cluster };
  return {
    user: clusterUser(user),
    ...(accessKey === undefined ? {} : { accessKey }),
    ...(ends === undefined ? {} : { ends }),
    system: false,
    signal: known.signal,
    ...(rights === undefined ? {} : { rights: () => rights() }),
    gate: (attributes) => authorize(known, withTarget(attributes, target)),
  };
}

const clusterUsers = new WeakMap<UserInfo, UserInfo>();

/** Asked for with every request of theirs, and the same for each. */
function clusterUser(user: UserInfo): UserInfo {
  const known = clusterUsers.get(user);
  if (known !== undefined) return known;
  const groups = [...ownGroups(user), kubernetesAuthenticatedGroup];
  if (isAdmin(user)) groups.push(kubernetesMastersGroup);
  const made = { ...user, groups };
  clusterUsers.set(user, made);
  return made;
}

const rolePrefix = roleGroup('');

/** What Kubernetes gives by itself, and what a virtual cluster's own access gives, is never taken over from elsewhere. */
function ownGroups({ groups }: UserInfo): string[] {
  return groups.filter((group) => !group.startsWith(systemPrefix) && !group.startsWith(rolePrefix));
}

const serviceAccountPrefix = `${systemPrefix}serviceaccount:`;

/**
 * A caller of the built-in cluster as a virtual cluster on it knows them. A service account gets another name on its
 * way, as the virtual cluster may have an account of the very same name that is somebody else's. `gate` says whether they
 * get in.
 */
export function inVirtualCluster(
  { user, accessKey, countedAs, signal, ends, rights }: Identity,
  gate: NonNullable<Identity['gate']>,
): Identity {
  const isAccount = user.name.startsWith(serviceAccountPrefix);
  const isMaster = user.groups.includes(kubernetesMastersGroup);
  return {
    user: {
      ...user,
      name: isAccount ? hostAccountUser(user.name.slice(serviceAccountPrefix.length)) : user.name,
      groups: [...ownGroups(user), kubernetesAuthenticatedGroup, ...(isMaster ? [kubernetesMastersGroup] : [])],
    },
    ...(accessKey === undefined ? {} : { accessKey }),
    ...(countedAs === undefined ? {} : { countedAs }),
    ...(ends === undefined ? {} : { ends }),
    system: false,
    signal,
    ...(rights === undefined ? {} : { rights: () => rights() }),
    gate,
  };
}

/**
 * Somebody whom the management API knows as the virtual cluster of an instance knows them: the same name, groups that are
 * somebody's own, and the roles that the instance gives them. Admins of the installation may do everything.
 */
export function inInstance(known: Identity, roles: readonly string[], gate: NonNullable<Identity['gate']>): Identity {
  const { user, rights, accessKey, signal, ends } = known;
  const given = isAdmin(user) ? [kubernetesMastersGroup] : roles.map(roleGroup);
  return {
    user: { ...user, groups: [...ownGroups(user), kubernetesAuthenticatedGroup, ...given] },
    ...(accessKey === undefined ? {} : { accessKey }),
    ...(ends === undefined ? {} : { ends }),
    system: false,
    signal,
    ...(rights === undefined ? {} : { rights: () => rights() }),
    gate,
  };
}
