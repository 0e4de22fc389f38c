/**
 * Every identifier on the wire that carries the interface's neutral word is made here and spelled nowhere else, so
 * that one setting can serve the same API under another word.
 */
const word = 'platform';

export const managementGroup = `management.${word}.sh`;
export const managementVersion = 'v1';
export const managementCategory = word;

/** The group of what a connected cluster keeps for this server: its virtual clusters. */
export const storageGroup = `storage.${word}.sh`;
export const storageVersion = 'v1';

export const projectNamespacePrefix = `${word}-p-`;

export function projectNamespace(project: string): string {
  return `${projectNamespacePrefix}${project}`;
}

/** The project whose namespace this is, or undefined for a namespace of another kind. */
export function projectOfNamespace(namespace: string): string | undefined {
  return namespace.startsWith(projectNamespacePrefix) ? namespace.slice(projectNamespacePrefix.length) : undefined;
}

/** Where an instance's virtual cluster lives on its host: `<word>-<project>-v-<name>-<hash>`. */
export const hostNamespacePrefix = `${word}-`;

export function hostNamespaceStem(project: string, instance: string): string {
  return `${hostNamespacePrefix}${project}-v-${instance}`;
}

/** On what a host keeps for somebody: whom it was made for. What does not carry it is not ours. */
export const hostOwnerLabel = `${word}.sh/owner`;

/** On the record of a Helm release: what it was installed from, so that nothing is installed again without cause. */
export const hostDigestLabel = `${word}.sh/installed`;
/** On a workload that sleeps: how many replicas it has when it is awake. */
export const replicasAnnotation = `${word}.sh/replicas`;
/** On a workload that falls asleep: the pods of those inside are still to be ended. */
export const fallingAsleepAnnotation = `${word}.sh/falling-asleep`;
/** `"true"` on a host namespace: it stays when the virtual cluster in it is removed. */
export const keepNamespaceAnnotation = `${word}.sh/keep-namespace`;
/** On what a host keeps: what people call it. */
export const displayNameAnnotation = `${word}.sh/display-name`;

/** On a cluster that is reached through its agent: what virtual clusters run on there, `built-in` or `kubernetes`. */
export const agentHostAnnotation = `${word}.sh/agent-host`;

/** On a cluster with an agent: a digest of what that told of itself, so that the same is not written down again. */
export const agentToldAnnotation = `${word}.sh/agent-told`;

/** On a key of an agent: the names of the keys that end when it is first used. */
export const replacesAnnotation = `${word}.sh/replaces`;

/** On a project's namespace: the name of the project. */
export const projectLabel = `${word}.sh/project`;

export const cleanupFinalizer = `${word}.sh/cleanup`;
export const nonDeletableAnnotation = `${word}.sh/non-deletable`;
/** An admin's way out where a host cannot be reached any more: the instance goes, whatever is left of it there stays. */
export const abandonAnnotation = `${word}.sh/abandon`;
/** On an instance that was imported: the uid of the virtual cluster that it took over. It is never installed. */
export const importedAnnotation = `${word}.sh/imported`;

/** `"true"` puts a virtual cluster to sleep, and keeps it there. */
export const sleepForceAnnotation = `sleepmode.${word}.sh/force`;
/** Seconds without a request. */
export const sleepAfterAnnotation = `sleepmode.${word}.sh/sleep-after`;
export const deleteAfterAnnotation = `sleepmode.${word}.sh/delete-after`;

export const adminsGroup = `${word}:admins`;
export const authenticatedGroup = `${word}:authenticated`;
export const kubernetesAuthenticatedGroup = 'system:authenticated';
/** Whoever is in it may do everything in the cluster that says so; given to admins on their way in, never by a name. */
export const kubernetesMastersGroup = 'system:masters';

export function userGroup(name: string): string {
  return `${word}:user:${name}`;
}

export function teamGroup(name: string): string {
  return `${word}:team:${name}`;
}

/** The group that whoever has this role inside a virtual cluster is in there. */
export function roleGroup(clusterRole: string): string {
  return `${word}:role:${clusterRole}`;
}

/** The user whose own group this is, or undefined for any other group. */
export function userOfGroup(group: string): string | undefined {
  return group.startsWith(userGroup('')) ? group.slice(userGroup('').length) : undefined;
}

export function teamOfGroup(group: string): string | undefined {
  return group.startsWith(teamGroup('')) ? group.slice(teamGroup('').length) : undefined;
}

/** What begins like this is Kubernetes' own: no user, subject or group that somebody chose ever does. */
export const systemPrefix = 'system:';
/** Names that the server itself gives: no subject that somebody chose begins like this. */
export const reservedSubjectPrefix = `${word}:`;

/**
 * A service account of a cluster as the virtual clusters on it know it. They have accounts of the same names, which are
 * others; and nobody can choose a name that begins like this.
 */
export function hostAccountUser(namespacedName: string): string {
  return `${reservedSubjectPrefix}host:serviceaccount:${namespacedName}`;
}

/** The agent of a connected cluster; only the key that `clusters/<name>/accesskey` makes is it. */
export function agentUser(cluster: string): string {
  return `${reservedSubjectPrefix}agent:${cluster}`;
}

/** The cluster whose agent this is, or undefined for anybody else. */
export function clusterOfAgent(user: string): string | undefined {
  return user.startsWith(agentUser('')) ? user.slice(agentUser('').length) : undefined;
}

/** The server's own controllers; in process only, no credential opens it. */
export const controllersUser = `system:${word}:controllers`;

export const projectRoles = {
  admin: `${word}-management-project-admin`,
  user: `${word}-management-project-user`,
  viewer: `${word}-management-project-viewer`,
} as const;

export const scopeCliFlag = 'allowPlatformCli';

/** Access keys: prefix, so that secret scanners know them. */
export const accessKeyPrefix = 'flk_';

export const defaultTemplate = 'control-plane';
export const localCluster = 'local';
export const defaultProject = 'default';
export const adminUser = 'admin';
