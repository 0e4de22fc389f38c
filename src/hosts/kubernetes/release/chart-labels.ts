/** Labels that vCluster's chart and vCluster itself set on their objects. */
export const controlPlaneApp = 'vcluster';
/** The workloads of one virtual cluster, in the order in which they are stopped. */
export const workloadApps = [controlPlaneApp, 'vcluster-api', 'vcluster-controller', 'vcluster-etcd'] as const;

export const controlPlaneSelector = `app=${controlPlaneApp}`;
export const workloadSelector = `app in (${workloadApps.join(',')})`;

export function releaseSelector(release: string): string {
  return `${workloadSelector},release=${release}`;
}

/** Helm stores release records in secrets with this label. */
export const releaseRecordSelector = 'owner=helm';

export function recordSelector(release: string): string {
  return `${releaseRecordSelector},name=${release}`;
}

/** Selects the pods that the virtual cluster syncs to the host. */
export function syncedPodSelector(release: string): string {
  return `vcluster.loft.sh/managed-by=${release}`;
}

/** The secret into which a virtual cluster writes the credentials of its administrator. */
export function credentialsSecret(release: string): string {
  return `vc-${release}`;
}

/** The container of a control plane pod that runs the API. */
export const apiContainer = 'syncer';
/** The port of that container. */
export const apiPort = 8443;

/** Annotations that vCluster's own CLI sets on a workload that it paused. */
export const pausedReplicasAnnotation = 'loft.sh/paused-replicas';
export const pausedAnnotations = ['loft.sh/paused', pausedReplicasAnnotation, 'loft.sh/paused-date'] as const;
