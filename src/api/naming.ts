import { currentApiWord } from './api-word.ts';

/** The API word. This file builds all identifiers of the API that contain the API word. */
export const apiWord = currentApiWord();

/** Returns the group of the management API of a server with this API word. */
export function managementGroupOf(word: string): string {
  return `management.${word}.sh`;
}

export const managementGroup = managementGroupOf(apiWord);
export const managementVersion = 'v1';
export const managementCategory = currentApiWord();

/** The API group of the kind VirtualCluster, which the server stores on the built-in cluster. */
export const storageGroup = `storage.${apiWord}.sh`;
export const storageVersion = 'v1';

export const projectNamespacePrefix = `${apiWord}-p-`;

export function projectNamespace(project: string): string {
  return `${projectNamespacePrefix}${project}`;
}

/** Returns the project to which a namespace belongs; `undefined` if the namespace does not belong to a project. */
export function projectOfNamespace(namespace: string): string | undefined {
  return namespace.startsWith(projectNamespacePrefix) ? namespace.slice(projectNamespacePrefix.length) : undefined;
}

/**
 * Prefix of the namespaces on a host: `<word>-<project>-v-<name>-<hash>` for virtual clusters, and
 * `<word>-<project>-s-<name>-<hash>` for spaces.
 */
export const hostNamespacePrefix = `${apiWord}-`;

export function hostNamespaceBaseName(project: string, instance: string): string {
  return `${hostNamespacePrefix}${project}-v-${instance}`;
}

export function spaceNamespaceBaseName(project: string, space: string): string {
  return `${hostNamespacePrefix}${project}-s-${space}`;
}

/** Labels on the access key of a workload: the names of the issuer and the rule, and a hash of the token. */
export const workloadIssuerLabel = `${apiWord}.sh/workload-issuer`;
export const workloadRuleLabel = `${apiWord}.sh/workload-rule`;
export const workloadTokenLabel = `${apiWord}.sh/workload-token`;

/**
 * Label on objects on a host that names the instance to which they belong. The server does not change objects without
 * this label.
 */
export const hostOwnerLabel = `${apiWord}.sh/owner`;

/**
 * Label that the operator of a host sets to `"true"` on namespaces whose pods may connect to the pods of tenants, such
 * as the namespace of an ingress controller.
 */
export const tenantAccessLabel = `${apiWord}.sh/tenant-access`;

/**
 * Annotation on a host namespace that lists the objects with which the server isolates the namespace, so that the
 * server can delete these objects later.
 */
export const hostIsolationAnnotation = `${apiWord}.sh/host-isolation`;

/** True for labels whose prefix is reserved for this server. */
export function isOwnLabel(label: string): boolean {
  return label.startsWith(`${apiWord}.sh/`);
}

/**
 * Label on the record of a Helm release: the digest of the installation. If the desired installation has an equal
 * digest, nothing has to be reinstalled.
 */
export const installDigestLabel = `${apiWord}.sh/installed`;
/** Annotation on a sleeping workload: the number of replicas to restore when the workload wakes. */
export const replicasAnnotation = `${apiWord}.sh/replicas`;
/**
 * Annotation on the namespace of a sleeping space: `falling` until all workloads in the space are scaled to zero, then
 * `true`. On a Job or CronJob, its value is the value of `spec.suspend` before the sleep.
 */
export const asleepAnnotation = `${apiWord}.sh/asleep`;
/** Annotation on a workload that is going to sleep, until the pods inside the virtual cluster have been deleted. */
export const fallingAsleepAnnotation = `${apiWord}.sh/falling-asleep`;
/**
 * Annotation on a workload that was put to sleep without a persistent volume: the time of the sleep in RFC 3339. The
 * annotation remains after the workload wakes.
 */
export const dataLostAnnotation = `${apiWord}.sh/data-lost-at`;
/** Annotation on an access key that the server has disabled: the reason. */
export const disabledReasonAnnotation = `${apiWord}.sh/disabled-reason`;
/** Annotation on a host namespace. `"true"` keeps the namespace after its virtual cluster or space is removed. */
export const keepNamespaceAnnotation = `${apiWord}.sh/keep-namespace`;
/** Annotation on objects on a host: the human-readable name of the virtual cluster or space. */
export const displayNameAnnotation = `${apiWord}.sh/display-name`;

/** Annotation on a cluster with an agent: the host type of its virtual clusters, `built-in` or `kubernetes`. */
export const agentHostAnnotation = `${apiWord}.sh/agent-host`;

/**
 * Annotation on a cluster with an agent: the digest of the agent's last announcement. The server does not write an
 * announcement again if its digest is equal.
 */
export const agentAnnouncementDigestAnnotation = `${apiWord}.sh/agent-told`;

/**
 * Annotation on a new access key of an agent: the names of the older keys that expire when the new key is first used.
 */
export const replacedKeysAnnotation = `${apiWord}.sh/replaces`;

/** Label on a project namespace: the name of the project. */
export const projectLabel = `${apiWord}.sh/project`;

/**
 * Annotation on a virtual cluster of the built-in cluster that has repeatedly ended its worker thread: the reason. The
 * virtual cluster serves no requests until an administrator removes the annotation.
 */
export const quarantineAnnotation = `${apiWord}.sh/quarantined`;

/** Annotation on an audit event. `"true"` if the request was a dry run, which changes nothing. */
export const dryRunAuditAnnotation = `${apiWord}.sh/dry-run`;

/**
 * True for annotations of audit events that only the server sets. Their prefix is the server's domain or a subdomain of
 * it.
 */
export function isOwnAuditAnnotation(key: string): boolean {
  const [prefix = ''] = key.toLowerCase().split('/', 1);
  return prefix === `${apiWord}.sh` || prefix.endsWith(`.${apiWord}.sh`);
}

/** Claim of a service account token: the name of the user or team that created the token or its Secret. */
export const tokenCreatorClaim = `${apiWord}.sh/maker`;
export const cleanupFinalizer = `${apiWord}.sh/cleanup`;
export const nonDeletableAnnotation = `${apiWord}.sh/non-deletable`;
/**
 * Annotation that admins set on an instance whose host is permanently unreachable. The instance is then deleted, and
 * its objects on the host remain there.
 */
export const abandonAnnotation = `${apiWord}.sh/abandon`;
/**
 * Annotation on an imported instance: the UID of the imported virtual cluster. The server never installs an imported
 * virtual cluster.
 */
export const importedAnnotation = `${apiWord}.sh/imported`;

/** Annotation that puts a virtual cluster to sleep and keeps it asleep, if its value is `"true"`. */
export const sleepForceAnnotation = `sleepmode.${apiWord}.sh/force`;
/** Annotation for auto-sleep: the number of seconds without requests after which a virtual cluster goes to sleep. */
export const sleepAfterAnnotation = `sleepmode.${apiWord}.sh/sleep-after`;
/**
 * Annotation that allows the server to put a virtual cluster without a persistent volume to sleep, if its value is `"true"`.
 * Each sleep deletes everything in such a virtual cluster.
 */
export const acceptDataLossAnnotation = `sleepmode.${apiWord}.sh/accept-data-loss`;
/** Annotation on a sleeping instance, set by the server: the start of the sleep in seconds since the epoch. */
export const sleepingSinceAnnotation = `sleepmode.${apiWord}.sh/sleeping-since`;
/**
 * Annotation with which clients report the time of the last use of an instance, in seconds since the epoch. Setting it
 * wakes the instance.
 */
export const lastActivityAnnotation = `sleepmode.${apiWord}.sh/last-activity`;
export const deleteAfterAnnotation = `sleepmode.${apiWord}.sh/delete-after`;

export const adminsGroup = `${apiWord}:admins`;
/** The group of auditors. They may read everything except Secrets and logs of instances, and search the audit log. */
export const auditorsGroup = `${apiWord}:auditors`;
export const authenticatedGroup = `${apiWord}:authenticated`;
export const kubernetesAuthenticatedGroup = 'system:authenticated';
/**
 * The group to which Kubernetes grants all permissions. The gateway adds it to requests of admins. Users and access
 * keys can never be assigned to it.
 */
export const kubernetesMastersGroup = 'system:masters';

export function userGroup(name: string): string {
  return `${apiWord}:user:${name}`;
}

export function teamGroup(name: string): string {
  return `${apiWord}:team:${name}`;
}

/** Returns the group that the gateway adds to a caller who has this cluster role inside a virtual cluster. */
export function roleGroup(clusterRole: string): string {
  return `${apiWord}:role:${clusterRole}`;
}

/** Returns the name of the RoleBinding of a cluster role in the namespace of a space. */
export function spaceBindingName(clusterRole: string): string {
  return `${apiWord}:space:${clusterRole}`;
}

/** Returns the user whose group this is (`userGroup`). `undefined` for any other group. */
export function userOfGroup(group: string): string | undefined {
  return group.startsWith(userGroup('')) ? group.slice(userGroup('').length) : undefined;
}

export function teamOfGroup(group: string): string | undefined {
  return group.startsWith(teamGroup('')) ? group.slice(teamGroup('').length) : undefined;
}

/** Prefix that Kubernetes reserves. Names of users, subjects and groups that clients set must not start with it. */
export const systemPrefix = 'system:';
/** Prefix of names that the server assigns. Subjects that clients set must not start with this prefix. */
export const reservedSubjectPrefix = `${apiWord}:`;

/**
 * Returns the user name that a service account of the host has inside a virtual cluster. The name has a reserved
 * prefix, so it differs from the user names of the virtual cluster's own service accounts.
 */
export function hostServiceAccountUser(namespacedName: string): string {
  return `${reservedSubjectPrefix}host:serviceaccount:${namespacedName}`;
}

/**
 * Returns the user name of the agent of a connected cluster. Only a key from the subresource
 * `clusters/<name>/accesskey` authenticates as this user.
 */
export function agentUser(cluster: string): string {
  return `${reservedSubjectPrefix}agent:${cluster}`;
}

/** Returns the cluster of the agent that has this user name. `undefined` for any other user name. */
export function clusterOfAgentUser(user: string): string | undefined {
  return user.startsWith(agentUser('')) ? user.slice(agentUser('').length) : undefined;
}

/** User name of the controllers inside the server process. No credential authenticates as this user. */
export const controllersUser = `system:${apiWord}:controllers`;

export const projectRoles = {
  admin: `${apiWord}-management-project-admin`,
  user: `${apiWord}-management-project-user`,
  viewer: `${apiWord}-management-project-viewer`,
} as const;

/**
 * The name of the scope field that allows the requests of the command line. The name contains the API word. It is cast
 * to the name with the default word, so that TypeScript finds the field in the types of scopes.
 */
export const scopeCliFlag = `allow${apiWord.charAt(0).toUpperCase()}${apiWord.slice(1)}Cli` as 'allowPlatformCli';

/** The name under which templates read values about their instance: `.Values.platform`. */
export const templateValuesName = currentApiWord();

/** Prefix of access keys, by which secret scanners recognize them. */
export const accessKeyPrefix = 'flk_';

export const defaultTemplate = 'control-plane';
export const builtInClusterName = 'local';
export const defaultProject = 'default';
export const adminUser = 'admin';

/**
 * Reason in the causes of a 403 response: the request needs a recent login. Clients ask for the password and send the
 * request again.
 */
export const freshLoginCause = 'FreshLoginRequired';
