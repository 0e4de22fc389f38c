/** The value of the label `app` that the vCluster chart sets on the control plane of a virtual cluster. */
export const controlPlaneApp = 'vcluster';
/** The value of the label `app` of an etcd that the chart deploys for a virtual cluster. */
export const etcdApp = 'vcluster-etcd';
/** The values of the label `app` of all workloads of a virtual cluster, in the order in which they are stopped. */
export const workloadApps = [controlPlaneApp, 'vcluster-api', 'vcluster-controller', etcdApp] as const;

export const controlPlaneSelector = `app=${controlPlaneApp}`;
export const workloadSelector = `app in (${workloadApps.join(',')})`;

export function releaseSelector(release: string): string {
  return `${workloadSelector},release=${release}`;
}

/** Selects the secrets in which Helm records the revisions of its releases. */
export const releaseRecordSelector = 'owner=helm';

export function recordSelector(release: string): string {
  return `${releaseRecordSelector},name=${release}`;
}

/** The label of pods that a virtual cluster has synced to its host. Its value is the name of the release. */
export const managedByLabel = 'vcluster.loft.sh/managed-by';

/** Selects the pods that a virtual cluster has synced to its host. */
export function syncedPodSelector(release: string): string {
  return `${managedByLabel}=${release}`;
}

/** Returns the name of the secret into which a virtual cluster writes its administrator credentials. */
export function credentialsSecret(release: string): string {
  return `vc-${release}`;
}

/** Returns the name of the secret in which the chart keeps the configuration of a virtual cluster. */
export function configSecret(release: string): string {
  return `vc-config-${release}`;
}

/** The name of the container that runs the API in a control plane pod. */
export const apiContainer = 'syncer';
/** The port at which the container `syncer` serves the API. */
export const apiPort = 8443;

/** Annotations that the command `vcluster pause` sets on a workload. */
export const pausedReplicasAnnotation = 'loft.sh/paused-replicas';
export const pausedAnnotations = ['loft.sh/paused', pausedReplicasAnnotation, 'loft.sh/paused-date'] as const;
