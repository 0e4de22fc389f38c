import { reservedSubjectPrefix, systemPrefix } from '../../api/naming.ts';

/**
 * Prefixes of groups that have a meaning on this server or in Kubernetes. Groups from providers never get these
 * prefixes. For example, kubeadm binds `kubeadm:cluster-admins` to the role cluster-admin in the clusters that it
 * creates.
 */
const reservedPrefixes: readonly string[] = [
  ...new Set([systemPrefix, 'kubeadm:', 'platform:', reservedSubjectPrefix]),
];

/** True for a group that a person never gets from a provider, even if the provider's tokens contain the group. */
export function isReservedGroup(group: string): boolean {
  const plain = group.trimStart().toLowerCase();
  return reservedPrefixes.some((prefix) => plain.startsWith(prefix));
}

/** True if groups with this prefix could have a reserved prefix. */
export function isReservedGroupsPrefix(prefix: string): boolean {
  const plain = prefix.toLowerCase();
  return isReservedGroup(prefix) || reservedPrefixes.some((reserved) => reserved.startsWith(plain));
}
