import { describe } from 'vitest';
import { comparedTests } from '../../area.ts';
import { applyPatch } from '../../gadgets.ts';
import type { Pair } from '../../pair.ts';
import { compareScale, compareScaleBriefly, strategicPatch, Workloads } from '../../workloads.ts';

const namespace = 'workloads';
const apps = `/apis/apps/v1/namespaces/${namespace}`;
const labels = { app: 'web' };
const selector = { matchLabels: labels };
const template = { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'nginx:1' }] } };
const otherTemplate = { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'nginx:2' }] } };
const onceTemplate = {
  metadata: { labels: { app: 'other' } },
  spec: { ...template.spec, restartPolicy: 'Never', activeDeadlineSeconds: 5 },
};

/** Compares the kinds of apps/v1. */
export function workloadKinds(pair: Pair): void {
  describe('Workloads', () => {
    const compared = comparedTests(pair);
    const workloads = new Workloads(pair);

    compared('are in discovery', async () => {
      await pair.send({ method: 'POST', path: '/api/v1/namespaces', json: { metadata: { name: namespace } } });
      await pair.send({ path: '/apis/apps/v1' });
    });

    compared('include deployments with defaults, rules and columns', async () => {
      const path = `${apps}/deployments`;
      await workloads.post(path, { metadata: { name: 'web' }, spec: { selector, template } });
      await workloads.post(path, { metadata: { name: 'web.2' }, spec: { selector, template } });
      await workloads.post(path, { metadata: { name: 'bare' }, spec: { template } });
      await workloads.post(path, { metadata: { name: 'bare' }, spec: { selector: {}, template } });
      await workloads.post(path, {
        metadata: { name: 'bad' },
        spec: {
          replicas: -1,
          selector,
          template: onceTemplate,
          strategy: { type: 'x', rollingUpdate: { maxSurge: 1 } },
          minReadySeconds: -1,
          revisionHistoryLimit: -1,
          progressDeadlineSeconds: -2,
        },
      });
      const wrongKey = { matchExpressions: [{ key: '-', operator: 'In', values: [] }], matchLabels: labels };
      await workloads.post(path, { metadata: { name: 'bad' }, spec: { selector: wrongKey, template: onceTemplate } });
      for (const rollingUpdate of [
        { maxSurge: 0, maxUnavailable: '0%' },
        { maxSurge: '-1%', maxUnavailable: '101%' },
        { maxSurge: -1, maxUnavailable: 'x' },
      ]) {
        await workloads.post(path, {
          metadata: { name: 'bad' },
          spec: { selector, template, strategy: { rollingUpdate } },
        });
      }
      const recreate = { type: 'Recreate', rollingUpdate: {} };
      await workloads.post(path, { metadata: { name: 'bad' }, spec: { selector, template, strategy: recreate } });
      await workloads.table(`${path}/web`);
    });

    compared('include deployments with updates, a status and a scale', async () => {
      const path = `${apps}/deployments/web`;
      await workloads.merge(path, { spec: { selector: { matchLabels: { app: 'other' } } } });
      await workloads.merge(path, { metadata: { annotations: { a: 'b' } } });
      await workloads.patch(path, strategicPatch, {
        spec: { template: { spec: { containers: [{ name: 'web', image: 'nginx' }] } } },
      });
      await workloads.put(path, { metadata: { name: 'web' }, spec: { selector, template, replicas: 2 } });
      const conditions = [{ type: 'Available', status: 'True' }];
      const status = { replicas: 2, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1, collisionCount: 2 };
      await workloads.merge(`${path}/status`, {
        metadata: { labels: { a: 'b' }, annotations: { c: 'd' } },
        spec: { replicas: 9 },
        status: { ...status, conditions },
      });
      await workloads.merge(`${path}/status`, {
        status: { replicas: 1, updatedReplicas: 2, readyReplicas: 2, availableReplicas: 3, collisionCount: 1 },
      });
      await workloads.merge(`${path}/status`, {
        status: { replicas: -1, unavailableReplicas: -1, collisionCount: null },
      });
      await workloads.table(path);
      await pair.send({ path, headers: { accept: 'application/yaml' } });
      await workloads.patch(`${apps}/deployments/applied?fieldManager=m`, applyPatch, {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'applied' },
        spec: { selector, template },
      });
      await workloads.put(`${path}/scale`, { metadata: { name: 'web', uid: 'x' }, spec: { replicas: 1 } });
      await compareScale(workloads, path, { apiVersion: 'apps/v1', kind: 'Deployment' });
    });

    compared('include replica sets with defaults, rules, a status and a scale', async () => {
      const path = `${apps}/replicasets`;
      await workloads.post(path, { metadata: { name: 'web' }, spec: { selector, template } });
      await workloads.post(path, { metadata: { name: 'bare' }, spec: { template } });
      await workloads.post(path, {
        metadata: { name: 'bad' },
        spec: { replicas: -1, minReadySeconds: -1, selector, template: onceTemplate },
      });
      await workloads.merge(`${path}/web`, { spec: { selector: { matchLabels: { app: 'x' } } } });
      await workloads.get(`${path}?fieldSelector=status.replicas%3D0`);
      await workloads.merge(`${path}/web/status`, { status: { replicas: 1, readyReplicas: 2, availableReplicas: 3 } });
      await workloads.merge(`${path}/web/status`, { status: { replicas: 1, fullyLabeledReplicas: 1 } });
      await workloads.get(`${path}?fieldSelector=status.replicas%3D0`);
      await workloads.table(`${path}/web`);
      await compareScaleBriefly(workloads, `${path}/web`);
    });

    compared('include stateful sets with defaults, rules and columns', async () => {
      const path = `${apps}/statefulsets`;
      const resources = { requests: { storage: '1Gi' } };
      const claim = { metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'], resources } };
      const mounted = {
        metadata: { labels },
        spec: {
          hostname: 'x',
          containers: [{ name: 'web', image: 'nginx:1', volumeMounts: [{ name: 'data', mountPath: '/data' }] }],
        },
      };
      const spec = { selector, template: mounted, serviceName: 'web', volumeClaimTemplates: [claim] };
      await workloads.post(path, { metadata: { name: 'web' }, spec });
      await workloads.post(path, { metadata: { name: 'a.b' }, spec: { selector, template } });
      await workloads.post(path, { metadata: { name: 'min' }, spec: { selector, template, revisionHistoryLimit: -1 } });
      await workloads.post(path, { metadata: { name: 'bare' }, spec: { template } });
      await workloads.post(path, {
        metadata: { name: 'bad' },
        spec: {
          replicas: -1,
          selector,
          template: onceTemplate,
          serviceName: 'A.b',
          podManagementPolicy: 'x',
          updateStrategy: { type: 'x' },
          minReadySeconds: -1,
          ordinals: { start: -1 },
          persistentVolumeClaimRetentionPolicy: { whenDeleted: 'x', whenScaled: 'y' },
        },
      });
      await workloads.post(path, {
        metadata: { name: 'bad' },
        spec: { selector: {}, template, updateStrategy: { type: 'OnDelete', rollingUpdate: { partition: 1 } } },
      });
      const invalidSelector = { matchExpressions: [{ key: 'a', operator: 'x' }] };
      await workloads.post(path, { metadata: { name: 'bad' }, spec: { selector: invalidSelector, template } });
      const updateStrategy = { rollingUpdate: { partition: -1, maxUnavailable: 0 } };
      await workloads.post(path, { metadata: { name: 'bad' }, spec: { selector, template, updateStrategy } });
      await workloads.table(`${path}/web`);
    });

    compared('include stateful sets with updates, a status and a scale', async () => {
      const path = `${apps}/statefulsets/web`;
      await workloads.merge(path, { spec: { serviceName: 'other', podManagementPolicy: 'Parallel' } });
      await workloads.merge(path, { spec: { replicas: 3, ordinals: { start: 1 }, minReadySeconds: 2 } });
      await workloads.merge(path, { spec: { updateStrategy: { rollingUpdate: { partition: 2, maxUnavailable: 2 } } } });
      const status = { replicas: 3, readyReplicas: 2, collisionCount: 1 };
      await workloads.merge(`${path}/status`, { metadata: { labels: { a: 'b' } }, status });
      await workloads.merge(`${path}/status`, {
        status: { replicas: 0, readyReplicas: 1, currentReplicas: 1, updatedReplicas: 1, availableReplicas: 2 },
      });
      await workloads.merge(`${path}/status`, { status: { replicas: -1, collisionCount: 0 } });
      await workloads.table(path);
      await compareScaleBriefly(workloads, path);
    });

    compared('include daemon sets with defaults, rules, updates and a status', async () => {
      const path = `${apps}/daemonsets`;
      const nodes = { ...template, spec: { ...template.spec, nodeSelector: { b: 'c', a: 'b' } } };
      await workloads.post(path, { metadata: { name: 'web' }, spec: { selector, template: nodes } });
      await workloads.post(path, { metadata: { name: 'bare' }, spec: { template } });
      await workloads.post(path, { metadata: { name: 'bad' }, spec: { selector: {}, template } });
      await workloads.post(path, {
        metadata: { name: 'bad' },
        spec: {
          selector,
          template: onceTemplate,
          updateStrategy: { type: 'x' },
          minReadySeconds: -1,
          revisionHistoryLimit: -1,
        },
      });
      for (const rollingUpdate of [
        { maxSurge: '101%' },
        { maxUnavailable: 0 },
        { maxUnavailable: 'x', maxSurge: -1 },
      ]) {
        await workloads.post(path, {
          metadata: { name: 'bad' },
          spec: { selector, template, updateStrategy: { rollingUpdate } },
        });
      }
      await workloads.merge(`${path}/web`, { spec: { selector: { matchLabels: { app: 'x' } } } });
      await workloads.merge(`${path}/web`, { spec: { template: otherTemplate } });
      await workloads.merge(`${path}/web`, { spec: { minReadySeconds: 3 } });
      await workloads.merge(`${path}/web`, {
        metadata: { annotations: { 'deprecated.daemonset.template.generation': '9' } },
      });
      const numbers = { annotations: { 'deprecated.daemonset.template.generation': '7' } };
      await workloads.post(path, { metadata: { name: 'seven', ...numbers }, spec: { selector, template } });
      const status = { desiredNumberScheduled: 2, currentNumberScheduled: 1, numberReady: 1, collisionCount: 3 };
      await workloads.merge(`${path}/web/status`, { status: { ...status, numberMisscheduled: 0 } });
      await workloads.merge(`${path}/web/status`, { status: { numberReady: -1, collisionCount: 2 } });
      await workloads.table(`${path}/web`);
    });
  });
}
