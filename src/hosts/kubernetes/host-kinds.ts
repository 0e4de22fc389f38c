import type { ResourceKind } from '../../api/resource.ts';
import { asSchema, t } from '../../api/schema/schema-builder.ts';

/** Describes a Kubernetes kind that this server uses on connected clusters but does not serve itself. */
function hostKind(group: string, kind: string): ResourceKind {
  const singular = kind.toLowerCase();
  return {
    group,
    version: 'v1',
    kind,
    plural: `${singular}s`,
    singular,
    namespaced: true,
    schema: asSchema(t.object({})),
  };
}

export const serviceKind = hostKind('', 'Service');
export const podKind = hostKind('', 'Pod');
export const volumeClaimKind = hostKind('', 'PersistentVolumeClaim');
export const statefulSetKind = hostKind('apps', 'StatefulSet');
export const deploymentKind = hostKind('apps', 'Deployment');
export const replicaSetKind = hostKind('apps', 'ReplicaSet');
export const replicationControllerKind = hostKind('', 'ReplicationController');
export const jobKind = hostKind('batch', 'Job');
export const cronJobKind = hostKind('batch', 'CronJob');
