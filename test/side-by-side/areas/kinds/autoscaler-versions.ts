import { describe } from 'vitest';
import { comparedTests } from '../../area.ts';
import { applyPatch, asPartial, asTable, jsonPatch, mergePatch } from '../../gadgets.ts';
import type { Pair } from '../../pair.ts';

const namespace = 'autoscaler-versions';
const v1 = `/apis/autoscaling/v1/namespaces/${namespace}/horizontalpodautoscalers`;
const v2 = `/apis/autoscaling/v2/namespaces/${namespace}/horizontalpodautoscalers`;
const age = /\.cells\[\d+\]$/;
const prefix = 'autoscaling.alpha.kubernetes.io';

/** Compares autoscalers in autoscaling/v1. The objects are the same as in autoscaling/v2. */
export function autoscalerVersions(pair: Pair): void {
  describe('Autoscalers in two versions', () => {
    const compared = comparedTests(pair);
    const post = (path: string, json: unknown) => pair.send({ method: 'POST', path, json });
    const get = (path: string) => pair.send({ path });
    const both = async (name: string) => {
      await get(`${v1}/${name}`);
      await get(`${v2}/${name}`);
    };
    const table = (path: string) => pair.send({ path, headers: { accept: asTable } }, { ignoredFields: age });
    const patch = (type: string, path: string, change: unknown) =>
      pair.send({ method: 'PATCH', path, body: JSON.stringify(change), headers: { 'content-type': type } });
    const apply = (path: string, name: string, more: object) =>
      patch(applyPatch, path, {
        apiVersion: path.startsWith(v1) ? 'autoscaling/v1' : 'autoscaling/v2',
        kind: 'HorizontalPodAutoscaler',
        metadata: { name },
        ...more,
      });
    const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
    const cpu = (averageUtilization: number) => ({
      type: 'Resource',
      resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } },
    });
    const metric = { name: 'requests<&>', selector: { matchLabels: { b: 'c', a: 'b' } } };
    const metrics = [
      { type: 'Pods', pods: { metric, target: { type: 'AverageValue', averageValue: '1k' } } },
      cpu(70),
      {
        type: 'Object',
        object: { metric, describedObject: scaleTargetRef, target: { type: 'AverageValue', averageValue: '5' } },
      },
      {
        type: 'Object',
        object: { metric, describedObject: scaleTargetRef, target: { type: 'Value', value: '2500m' } },
      },
      { type: 'External', external: { metric, target: { type: 'Value', value: '30' } } },
      {
        type: 'ContainerResource',
        containerResource: {
          name: 'memory',
          container: 'main',
          target: { type: 'AverageValue', averageValue: '100Mi' },
        },
      },
    ];
    const behavior = { scaleUp: { stabilizationWindowSeconds: 10, tolerance: '0.5' } };
    const currentMetrics = [
      { type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 50, averageValue: '20m' } } },
      { type: 'Pods', pods: { metric, current: { averageValue: '900' } } },
      { type: 'External', external: { metric, current: { averageValue: '7' } } },
    ];
    const conditions = [
      { type: 'AbleToScale', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z', reason: 'R', message: 'M' },
    ];

    compared('are in discovery', async () => {
      await get('/apis/autoscaling');
      await get('/apis/autoscaling/v1');
    });

    compared('are created in one version and read in the other', async () => {
      await post('/api/v1/namespaces', { metadata: { name: namespace } });
      await post(v1, { metadata: { name: 'plain' }, spec: { scaleTargetRef, maxReplicas: 3 } });
      await both('plain');
      await post(v1, {
        metadata: { name: 'cpu', annotations: { [`${prefix}/conditions`]: '[{"type":"x","status":"True"}]', a: 'b' } },
        spec: { scaleTargetRef, maxReplicas: 3, targetCPUUtilizationPercentage: 55 },
      });
      await both('cpu');
      await post(v2, {
        metadata: { name: 'rich', annotations: { [`${prefix}/metrics`]: '[]' } },
        spec: { scaleTargetRef, minReplicas: 2, maxReplicas: 9, metrics, behavior },
      });
      await both('rich');
      await table(`${v1}/rich`);
      await table(v1);
      await get(v1);
      await pair.send({ path: `${v1}/rich`, headers: { accept: asPartial } });
    });

    compared('read annotations of autoscaling/v1', async () => {
      const texts = [
        '[{"type":"Resource","resource":{"name":"memory","targetAverageValue":"1Gi"}}]',
        '[{"Type":"Pods","pods":{"METRICNAME":"x","targetAverageValue":5}},null]',
        '[{"type":"External","external":{"metricName":"q","targetValue":"0"}}]',
        '{"type":"Pods"}',
        'null',
        '[{"type":3}]',
      ];
      for (const [index, text] of texts.entries()) {
        await post(v1, {
          metadata: { name: `text-${index}`, annotations: { [`${prefix}/metrics`]: text } },
          spec: { scaleTargetRef, maxReplicas: 3 },
        });
        await get(`${v2}/text-${index}`);
      }
      await post(v1, {
        metadata: {
          name: 'behavior',
          annotations: {
            [`${prefix}/behavior`]:
              '{"scaleup":{"Policies":[{"type":"Pods","Value":2,"PeriodSeconds":5}],"SelectPolicy":"Min","StabilizationWindowSeconds":3},"ScaleDown":{"Policies":[{"Type":"Percent","Value":9,"PeriodSeconds":6}],"SelectPolicy":"Max","StabilizationWindowSeconds":null}}',
          },
        },
        spec: { scaleTargetRef, maxReplicas: 3 },
      });
      await both('behavior');
    });

    compared('have the same rules', async () => {
      await post(v1, { metadata: { name: 'bare' } });
      await post(v1, {
        metadata: { name: 'bad' },
        spec: {
          scaleTargetRef: { kind: '', name: 'a/b', apiVersion: 'v1' },
          minReplicas: 0,
          maxReplicas: -1,
          targetCPUUtilizationPercentage: 0,
        },
      });
      await post(v1, { metadata: { name: 'bad' }, spec: { scaleTargetRef, maxReplicas: 'x' } });
    });

    compared('keep the status in writes of the object, and the spec in writes of the status', async () => {
      const status = { currentReplicas: 2, desiredReplicas: 3, currentMetrics, conditions };
      await patch(mergePatch, `${v2}/rich/status?fieldManager=status`, { status });
      await both('rich');
      await patch(mergePatch, `${v1}/rich?fieldManager=labels`, {
        metadata: { labels: { a: 'b' }, annotations: { [`${prefix}/conditions`]: null } },
      });
      await get(`${v1}/rich`);
      await patch(mergePatch, `${v1}/rich/status?fieldManager=v1-status`, {
        metadata: { annotations: { [`${prefix}/behavior`]: null } },
        spec: { maxReplicas: 100 },
        status: { currentReplicas: 4, currentCPUUtilizationPercentage: 1 },
      });
      await get(`${v1}/rich`);
      await patch(mergePatch, `${v1}/rich/status`, { status: { currentReplicas: -1 } });
      await patch(jsonPatch, `${v1}/rich?fieldManager=v1`, [
        { op: 'replace', path: '/spec/targetCPUUtilizationPercentage', value: 33 },
      ]);
      await both('rich');
      await patch(mergePatch, `${v2}/rich?fieldManager=v2`, { spec: { metrics: [cpu(12)], behavior: null } });
      await both('rich');
    });

    compared('have field owners in each version', async () => {
      await apply(`${v1}/applied?fieldManager=one`, 'applied', {
        spec: { scaleTargetRef, maxReplicas: 4, targetCPUUtilizationPercentage: 20 },
      });
      await get(`${v2}/applied`);
      await apply(`${v2}/applied?fieldManager=two`, 'applied', { spec: { maxReplicas: 4, metrics: [cpu(30)] } });
      await apply(`${v2}/applied?fieldManager=two&force=true`, 'applied', {
        spec: { maxReplicas: 4, metrics: [cpu(30)] },
      });
      await both('applied');
      await apply(`${v1}/applied?fieldManager=one`, 'applied', { spec: { scaleTargetRef, maxReplicas: 5 } });
      await apply(`${v1}/applied?fieldManager=one&force=true`, 'applied', { spec: { scaleTargetRef, maxReplicas: 5 } });
      await both('applied');
      await apply(`${v2}/applied?fieldManager=one`, 'applied', {
        spec: { scaleTargetRef, maxReplicas: 5, minReplicas: 2 },
      });
      await both('applied');
      await patch(mergePatch, `${v1}/applied?fieldManager=three`, { spec: { targetCPUUtilizationPercentage: 44 } });
      await both('applied');
    });

    compared('are replaced and deleted in each version', async () => {
      const put = (path: string, json: unknown) => pair.send({ method: 'PUT', path, json });
      await put(`${v1}/plain`, {
        apiVersion: 'autoscaling/v1',
        kind: 'HorizontalPodAutoscaler',
        metadata: { name: 'plain' },
        spec: { scaleTargetRef, maxReplicas: 8 },
      });
      await both('plain');
      await put(`${v1}/plain`, { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler' });
      await pair.send({ method: 'DELETE', path: `${v1}/plain` });
      await get(`${v2}/plain`);
    });
  });
}
