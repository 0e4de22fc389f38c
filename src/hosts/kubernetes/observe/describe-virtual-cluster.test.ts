import { describe, expect, it } from 'vitest';
import type { HostedVirtualCluster } from '../../host.ts';
import { describeVirtualCluster } from './describe-virtual-cluster.ts';
import type { VirtualClusterSnapshot } from './host-cache.ts';
import type { PodSummary, ReleaseRecordSummary, ServiceSummary, WorkloadSummary } from './object-summaries.ts';

const place = { namespace: 'space', name: 'one' };
const fact = { ...place, release: 'one', resourceVersion: '1', isDeleting: false };
const service: ServiceSummary = {
  ...{ ...fact, uid: 'service', owner: 'me', type: 'ClusterIP', clusterIP: '10.0.0.1' },
  ...{ ingress: [], port: 443, targetPort: 8443 },
};
const workload: WorkloadSummary = {
  ...{ ...fact, uid: 'workload', isControlPlane: true, replicas: 1 },
  isFallingAsleep: false,
  dataLostAt: '',
  kubernetesVersion: 'v1.34.0',
  replicaFailure: '',
};
const etcd: WorkloadSummary = { ...workload, name: 'one-etcd', isControlPlane: false, kubernetesVersion: '' };
const pod: PodSummary = { ...fact, name: 'one-0', uid: 'pod', isReady: true, problem: undefined };
const record: ReleaseRecordSummary = {
  ...{ ...fact, name: 'sh.helm.release.v1.one.v1', uid: 'record', owner: 'me', digest: 'd' },
  status: 'deployed',
  revision: 1,
  createdAt: 0,
};
const running: VirtualClusterSnapshot = {
  location: place,
  service,
  workloads: [workload, etcd],
  pods: [pod],
  record,
  namespace: undefined,
};
const seen = (changed: Partial<VirtualClusterSnapshot>) => describeVirtualCluster({ ...running, ...changed });

describe('the state of a virtual cluster on its host', () => {
  it('exists if its service does, and has the uid of the service', () => {
    expect(seen({ service: undefined })).toBeUndefined();
    expect(seen({})).toEqual({
      location: place,
      uid: 'service',
      phase: 'Ready',
      reason: 'Ready',
      message: '',
      kubernetesVersion: 'v1.34.0',
      owner: 'me',
    } satisfies HostedVirtualCluster);
  });

  it('takes the owner from its service or its release record', () => {
    const unmarked = { ...service, owner: '' };
    expect(seen({ service: unmarked })?.owner).toBe('me');
    expect(seen({ service: unmarked, record: undefined })).toMatchObject({ owner: '' });
    expect(seen({ service: unmarked, record: undefined })).not.toHaveProperty('drift');
  });

  it('is Sleeping if its control plane is scaled to zero, whatever else runs', () => {
    expect(seen({ workloads: [{ ...workload, replicas: 0 }, etcd] })).toMatchObject({ phase: 'Sleeping' });
    expect(seen({ workloads: [workload, { ...etcd, replicas: 0 }] })).toMatchObject({ phase: 'Ready' });
  });

  it('is Ready if a pod is ready that is not being deleted', () => {
    expect(seen({ pods: [{ ...pod, isReady: false }, pod] })).toMatchObject({ phase: 'Ready' });
    expect(seen({ pods: [{ ...pod, isDeleting: true }] })).toMatchObject({ phase: 'Pending', reason: 'NoPods' });
    expect(seen({ pods: [{ ...pod, isReady: false }] })).toMatchObject({ phase: 'Pending', reason: 'Starting' });
  });

  it('is Failed for a permanent problem and Pending for a temporary one', () => {
    const withProblem = (isLasting: boolean): PodSummary => ({
      ...pod,
      isReady: false,
      problem: { reason: 'R', message: 'M', isPermanent: isLasting },
    });
    expect(seen({ pods: [withProblem(true)] })).toMatchObject({ phase: 'Failed', reason: 'R', message: 'M' });
    expect(seen({ pods: [withProblem(false)] })).toMatchObject({ phase: 'Pending', reason: 'R', message: 'M' });
    expect(seen({ pods: [withProblem(true), pod] })).toMatchObject({ phase: 'Ready' });
    expect(seen({ pods: [], workloads: [{ ...workload, replicaFailure: 'quota' }] })).toMatchObject({
      phase: 'Failed',
    });
  });

  it('is Removing as soon as an essential object of it is being deleted', () => {
    const deleting = { isDeleting: true };
    const namespace = { ...fact, ...deleting, uid: 'n', owner: 'me' };
    for (const changed of [
      { service: { ...service, ...deleting } },
      { namespace },
      { record: { ...record, status: 'uninstalling' } },
      { workloads: [{ ...workload, ...deleting }] },
    ]) {
      expect(seen(changed)).toMatchObject({ phase: 'Removing' });
      expect(seen(changed)).not.toHaveProperty('drift');
    }
  });

  it('reports drift if an installed object is missing', () => {
    expect(seen({ workloads: [etcd] })).toMatchObject({ phase: 'Failed', reason: 'WorkloadGone' });
    expect(seen({ workloads: [etcd] })?.drift).toContain('StatefulSet');
    expect(seen({ record: undefined })?.drift).toContain('record');
    expect(seen({ record: { ...record, owner: '' } })?.drift).toContain('someone else');
    expect(seen({ workloads: [], record: { ...record, status: 'pending-install' } })).toMatchObject({
      phase: 'Pending',
    });
  });
});
