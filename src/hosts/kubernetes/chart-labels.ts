/** How vCluster's chart, and what it starts, mark what they make. */
export const controlPlaneApp = 'vcluster';
/** The workloads of one virtual cluster, in the order in which they are stopped. */
export const workloadApps = [controlPlaneApp, 'vcluster-api', 'vcluster-controller', 'vcluster-etcd'] as const;

export const controlPlaneSelector = `app=${controlPlaneApp}`;
export const workloadSelector = `app in (${workloadApps.join(',')})`;

export function releaseSelector(release: string): string {
  return `${workloadSelector},release=${release}`;
}

/** Helm keeps the record of a release in secrets that are marked like this. */
export const releaseRecordSelector = 'owner=helm';

export function recordSelector(release: string): string {
  return `${releaseRecordSelector},name=${release}`;
}

/** On the pods of those inside, as they run on the host. */
export function innerPodSelector(release: string): string {
  return `vcluster.loft.sh/managed-by=${release}`;
}

/** Where a virtual cluster leaves the credentials of its administrator. */
export function credentialsSecret(release: string): string {
  return `vc-${release}`;
}

/** The container of a pod of the control plane in which the API runs. */
export const apiContainer = 'syncer';
/** The port of such a pod on which it answers. */
export const apiPort = 8443;

/** What vCluster's own command leaves on a workload that it has put to sleep. */
export const pausedReplicasAnnotation = 'loft.sh/paused-replicas';
export const pausedAnnotations = ['loft.sh/paused', pausedReplicasAnnotation, 'loft.sh/paused-date'] as const;
