/**
 * All identifiers of the wire format that contain the API's neutral name are built in this file and nowhere else, so
 * that one setting can serve the same API under another name.
 */
const word = 'platform';

export const managementGroup = `management.${word}.sh`;
export const managementVersion = 'v1';
export const managementCategory = word;

/** The group of the kinds that the server stores on the built-in cluster: its virtual clusters. */
export const storageGroup = `storage.${word}.sh`;
export const storageVersion = 'v1';

export const projectNamespacePrefix = `${word}-p-`;

export function projectNamespace(project: string): string {
  return `${projectNamespacePrefix}${project}`;
}

/** The project of a project namespace. `undefined` for any other namespace. */
export function projectOfNamespace(namespace: string): string | undefined {
  return namespace.startsWith(projectNamespacePrefix) ? namespace.slice(projectNamespacePrefix.length) : undefined;
}

/** Prefix of the host namespaces of virtual clusters: `<word>-<project>-v-<name>-<hash>`. */
export const hostNamespacePrefix = `${word}-`;

export function hostNamespaceBaseName(project: string, instance: string): string {
  return `${hostNamespacePrefix}${project}-v-${instance}`;
}

/** Label on objects on a host: the owner they were created for. Objects without it do not belong to this server. */
export const hostOwnerLabel = `${word}.sh/owner`;

/** Label on the record of a Helm release: digest of the installation's inputs. Prevents needless reinstallation. */
export const installDigestLabel = `${word}.sh/installed`;
/** Annotation on a sleeping workload: its number of replicas when it is awake. */
export const replicasAnnotation = `${word}.sh/replicas`;
/** Annotation on a workload that is going to sleep: the pods inside the virtual cluster still have to be deleted. */
export const fallingAsleepAnnotation = `${word}.sh/falling-asleep`;
/** Annotation on a host namespace: `"true"` keeps the namespace when its virtual cluster is removed. */
export const keepNamespaceAnnotation = `${word}.sh/keep-namespace`;
/** Annotation on objects on a host: the human-readable name. */
export const displayNameAnnotation = `${word}.sh/display-name`;

/** Annotation on a cluster with an agent: the host type of its virtual clusters, `built-in` or `kubernetes`. */
export const agentHostAnnotation = `${word}.sh/agent-host`;

/**
 * Annotation on a cluster with an agent: digest of the last announcement, so that an equal one is not written again.
 */
export const agentAnnouncementDigestAnnotation = `${word}.sh/agent-told`;

/** Annotation on an access key of an agent: the names of the keys that expire on its first use. */
export const replacedKeysAnnotation = `${word}.sh/replaces`;

/** Label on a project namespace: the name of the project. */
export const projectLabel = `${word}.sh/project`;

export const cleanupFinalizer = `${word}.sh/cleanup`;
export const nonDeletableAnnotation = `${word}.sh/non-deletable`;
/**
 * Annotation that admins set if a host is permanently unreachable: the instance is deleted, and its objects on the host
 * are left behind.
 */
export const abandonAnnotation = `${word}.sh/abandon`;
/** Annotation on an imported instance: the UID of the imported virtual cluster, which is never installed. */
export const importedAnnotation = `${word}.sh/imported`;

/** Annotation that puts a virtual cluster to sleep and keeps it asleep: `"true"`. */
export const sleepForceAnnotation = `sleepmode.${word}.sh/force`;
/** Seconds without a request before auto-sleep. */
export const sleepAfterAnnotation = `sleepmode.${word}.sh/sleep-after`;
export const deleteAfterAnnotation = `sleepmode.${word}.sh/delete-after`;

export const adminsGroup = `${word}:admins`;
export const authenticatedGroup = `${word}:authenticated`;
export const kubernetesAuthenticatedGroup = 'system:authenticated';
/**
 * Members have all permissions in clusters that bind the group. The gateway adds it to requests of admins. It can never
 * be assigned by name.
 */
export const kubernetesMastersGroup = 'system:masters';

export function userGroup(name: string): string {
  return `${word}:user:${name}`;
}

export function teamGroup(name: string): string {
  return `${word}:team:${name}`;
}

/** The group that a gateway adds to a user with this role inside a virtual cluster. */
export function roleGroup(clusterRole: string): string {
  return `${word}:role:${clusterRole}`;
}

/** The user of a personal group. `undefined` for any other group. */
export function userOfGroup(group: string): string | undefined {
  return group.startsWith(userGroup('')) ? group.slice(userGroup('').length) : undefined;
}

export function teamOfGroup(group: string): string | undefined {
  return group.startsWith(teamGroup('')) ? group.slice(teamGroup('').length) : undefined;
}

/** Prefix that Kubernetes reserves. No user-defined user, subject or group may start with it. */
export const systemPrefix = 'system:';
/** Prefix of names that the server assigns. No user-defined subject may start with it. */
export const reservedSubjectPrefix = `${word}:`;

/**
 * The user name of a host's service account inside the virtual clusters on that host. It differs from the user names of
 * a virtual cluster's own service accounts, and its prefix is reserved.
 */
export function hostServiceAccountUser(namespacedName: string): string {
  return `${reservedSubjectPrefix}host:serviceaccount:${namespacedName}`;
}

/** User name of the agent of a connected cluster. Only the key that `clusters/<name>/accesskey` creates has it. */
export function agentUser(cluster: string): string {
  return `${reservedSubjectPrefix}agent:${cluster}`;
}

/** The cluster of an agent's user name. `undefined` for any other user. */
export function clusterOfAgentUser(user: string): string | undefined {
  return user.startsWith(agentUser('')) ? user.slice(agentUser('').length) : undefined;
}

/** User name of the server's own controllers. It exists in process only: no credential authenticates as it. */
export const controllersUser = `system:${word}:controllers`;

export const projectRoles = {
  admin: `${word}-management-project-admin`,
  user: `${word}-management-project-user`,
  viewer: `${word}-management-project-viewer`,
} as const;

export const scopeCliFlag = 'allowPlatformCli';

/** Prefix of access keys, which secret scanners recognize. */
export const accessKeyPrefix = 'flk_';

export const defaultTemplate = 'control-plane';
export const builtInClusterName = 'local';
export const defaultProject = 'default';
export const adminUser = 'admin';
