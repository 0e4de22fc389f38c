import { type JsonObject, numberAt, textAt, valueAt } from '@flotilla/json';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { inPhase, spacesOf, waitForInstance } from '../../src/server/instances.fixture.ts';
import { groupPath } from '../../src/server/server.fixture.ts';
import { eventually } from '../bad-days/eventually.ts';
import { describeIfAvailable } from '../harness/suite.ts';
import { type Flotilla, openFlotilla } from './harness/open-flotilla.ts';
import { findKubernetes } from './harness/programs.ts';
import { type Kubernetes, startKubernetes } from './harness/start-kubernetes.ts';

const programs = findKubernetes();
const cluster = 'europe';
const spaces = spacesOf('default');

/** Makes the API server serve `metrics.k8s.io` with objects in the format of metrics-server. */
const metricsDefinition: JsonObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'pods.metrics.k8s.io', annotations: { 'api-approved.kubernetes.io': 'unapproved, for a test' } },
  spec: {
    group: 'metrics.k8s.io',
    scope: 'Namespaced',
    names: { kind: 'PodMetrics', listKind: 'PodMetricsList', plural: 'pods', singular: 'pod' },
    versions: [
      {
        name: 'v1beta1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

describeIfAvailable(typeof programs === 'string' ? programs : undefined, 'the usage of pods on a real cluster', () => {
  let kubernetes: Kubernetes;
  let flotilla: Flotilla;

  beforeAll(async () => {
    if (typeof programs === 'string') return;
    kubernetes = await startKubernetes({ programs });
    flotilla = await openFlotilla({ programs: kubernetes.programs, settings: { usage: { sampleSeconds: 1 } } });
    await flotilla.connect(cluster, kubernetes);
  });
  afterAll(async () => {
    await flotilla?.close();
    await kubernetes?.stop();
  });

  it('is absent until the cluster serves metrics, and then counts for the space and its cluster', async () => {
    const body = { metadata: { name: 'shop' }, spec: { clusterRef: { cluster } } };
    const made = await flotilla.ask(spaces, { method: 'POST', body });
    expect(made.code, made.text).toBe(201);
    const space = await waitForInstance(
      flotilla.bench,
      flotilla.server,
      { plural: 'spaceinstances', name: 'shop' },
      inPhase('Ready'),
    );
    const namespace = textAt(space, 'spec', 'clusterRef', 'namespace');
    const usage = async (path = `${spaces}/shop/usage`) => (await flotilla.ask(path)).json;
    const before = await eventually(
      60,
      () => usage(),
      (current) => (numberAt(current, 'total', 'seconds') ?? 0) >= 2,
    );
    expect(valueAt(before, 'total', 'cpuCores')).toBeUndefined();
    expect(valueAt(before, 'total', 'memoryBytes')).toBeUndefined();
    expect(numberAt(before, 'total', 'storageBytes')).toBe(0);

    const { api } = kubernetes;
    await api.ok('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', metricsDefinition);
    const metrics = {
      apiVersion: 'metrics.k8s.io/v1beta1',
      kind: 'PodMetrics',
      metadata: { name: 'web-0' },
      window: '15s',
      containers: [{ name: 'web', usage: { cpu: '250m', memory: '64Mi' } }],
    };
    const path = `/apis/metrics.k8s.io/v1beta1/namespaces/${namespace}/pods`;
    await eventually(
      60,
      () => api.request('POST', path, metrics),
      ({ code }) => code === 201,
    );
    await api.ok('POST', `/api/v1/namespaces/${namespace}/persistentvolumeclaims`, {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'data' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '2Gi' } } },
    });
    for (const where of [`${spaces}/shop/usage`, `${groupPath}/clusters/${cluster}/usage`]) {
      // Until the metrics API has data about the pods, the usage counts as 0.
      const measured = await eventually(
        60,
        () => usage(where),
        (current) =>
          (numberAt(current, 'total', 'storageBytes') ?? 0) > 0 && (numberAt(current, 'total', 'cpuCores') ?? 0) > 0.1,
      );
      expect(numberAt(measured, 'total', 'cpuCores')).toBeLessThanOrEqual(0.25);
      expect(numberAt(measured, 'total', 'memoryBytes')).toBeGreaterThan(16 * 1024 * 1024);
      expect(numberAt(measured, 'total', 'memoryBytes')).toBeLessThanOrEqual(64 * 1024 * 1024);
    }
  });
});
