import type { JsonObject } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../api/meta.ts';
import { summarizeReleaseRecord, summarizeService, summarizeWorkload } from './object-summaries.ts';

const object = (metadata: JsonObject, rest: JsonObject = {}) =>
  ({ metadata: { namespace: 'space', ...metadata }, ...rest }) as unknown as KubeObject;
const labels = { app: 'vcluster', release: 'one' };

describe('the summary of a host object', () => {
  it('exists for a service only if it serves the API of a virtual cluster', () => {
    expect(summarizeService(object({ name: 'one-headless', labels }))).toBeUndefined();
    expect(summarizeService(object({ name: 'one', labels: { app: 'vcluster' } }))).toBeUndefined();
    const ports = [
      { name: 'kubelet', port: 10250, targetPort: 8443 },
      { name: 'https', port: 443, targetPort: 9443 },
    ];
    const balanced = { loadBalancer: { ingress: [{ ip: '1.2.3.4' }, { hostname: 'lb.test' }] } };
    const service = object({ name: 'one', labels }, { spec: { type: 'LoadBalancer', ports }, status: balanced });
    expect(summarizeService(service)).toMatchObject({
      ...{ type: 'LoadBalancer', port: 443, targetPort: 9443, owner: '' },
      ingress: [{ ip: '1.2.3.4' }, { hostname: 'lb.test' }],
    });
  });

  it('has the replicas of a workload and the version in its image', () => {
    const imaged = (image: string) =>
      summarizeWorkload(
        object({ name: 'one', labels }, { spec: { template: { spec: { initContainers: [{ image }] } } } }),
      );
    expect(imaged('registry.test:5000/kubernetes:v1.34.0')).toMatchObject({
      kubernetesVersion: 'v1.34.0',
      replicas: 1,
    });
    expect(imaged('rancher/k3s:v1.32.1-k3s1')).toMatchObject({ kubernetesVersion: 'v1.32.1' });
    expect(imaged('kubernetes@sha256:abc')).toMatchObject({ kubernetesVersion: '' });
    expect(summarizeWorkload(object({ name: 'one', labels }, { spec: { replicas: 0 } }))).toMatchObject({
      replicas: 0,
    });
  });

  it('does not exist for a secret that is not a release record', () => {
    expect(summarizeReleaseRecord(object({ name: 'other', labels: { owner: 'helm' } }))).toBeUndefined();
    const record = { owner: 'helm', name: 'one', version: '12', status: 'deployed' };
    expect(summarizeReleaseRecord(object({ name: 'sh.helm.release.v1.one.v12', labels: record }))).toMatchObject({
      ...{ release: 'one', revision: 12, status: 'deployed', owner: '', digest: '' },
    });
  });
});
