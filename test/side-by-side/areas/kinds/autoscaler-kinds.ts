import { describe } from 'vitest';
import { comparedTests } from '../../area.ts';
import { applyPatch, asTable, mergePatch } from '../../gadgets.ts';
import type { Pair } from '../../pair.ts';

const namespace = 'autoscalers';
const autoscalers = `/apis/autoscaling/v2/namespaces/${namespace}/horizontalpodautoscalers`;
const age = /\.cells\[\d+\]$/;

/** Compares autoscalers in autoscaling/v2. */
export function autoscalerKinds(pair: Pair): void {
  describe('Autoscalers', () => {
    const compared = comparedTests(pair);
    const post = (json: unknown) => pair.send({ method: 'POST', path: autoscalers, json });
    const merge = (path: string, change: unknown) =>
      pair.send({ method: 'PATCH', path, body: JSON.stringify(change), headers: { 'content-type': mergePatch } });
    const table = (path: string) => pair.send({ path, headers: { accept: asTable } }, { ignoredFields: age });
    const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
    const resource = (target: unknown) => ({ type: 'Resource', resource: { name: 'cpu', target } });

    compared('have defaults and columns', async () => {
      await pair.send({ method: 'POST', path: '/api/v1/namespaces', json: { metadata: { name: namespace } } });
      await post({ metadata: { name: 'plain' }, spec: { scaleTargetRef, maxReplicas: 3 } });
      await table(`${autoscalers}/plain`);
      const metrics = [
        resource({ type: 'AverageValue', averageValue: '100m' }),
        { type: 'Pods', pods: { metric: { name: 'requests' }, target: { type: 'AverageValue', averageValue: '1k' } } },
        {
          type: 'Object',
          object: { metric: { name: 'x' }, describedObject: scaleTargetRef, target: { type: 'Value', value: '5' } },
        },
      ];
      const behavior = { scaleUp: { stabilizationWindowSeconds: 10 } };
      await post({
        metadata: { name: 'web' },
        spec: { scaleTargetRef, minReplicas: 2, maxReplicas: 3, metrics, behavior },
      });
      await table(`${autoscalers}/web`);
      const external = {
        type: 'External',
        external: { metric: { name: 'queue' }, target: { type: 'AverageValue', averageValue: '3' } },
      };
      await merge(`${autoscalers}/web`, { spec: { metrics: [external] } });
      await table(`${autoscalers}/web`);
    });

    compared('have rules', async () => {
      await post({ metadata: { name: 'bare' } });
      await post({
        metadata: { name: 'bad' },
        spec: {
          scaleTargetRef: { kind: '', name: 'a/b', apiVersion: 'v1' },
          minReplicas: 0,
          maxReplicas: -1,
          metrics: [{ type: 'x' }, resource({ type: 'y' }), { type: 'Pods' }],
          behavior: { scaleDown: { policies: [{ type: 'z', value: 0, periodSeconds: 0 }], selectPolicy: 'q' } },
        },
      });
    });

    compared('have a status that keeps the spec, and are applied', async () => {
      const currentMetrics = [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 50 } } }];
      const status = { currentReplicas: 2, desiredReplicas: 2, currentMetrics };
      await merge(`${autoscalers}/plain/status`, {
        spec: { maxReplicas: 9 },
        metadata: { labels: { a: 'b' } },
        status,
      });
      await merge(`${autoscalers}/plain/status`, { status: { currentReplicas: -1 } });
      await table(`${autoscalers}/plain`);
      await pair.send({
        method: 'PATCH',
        path: `${autoscalers}/applied?fieldManager=m`,
        body: JSON.stringify({
          apiVersion: 'autoscaling/v2',
          kind: 'HorizontalPodAutoscaler',
          metadata: { name: 'applied' },
          spec: { scaleTargetRef, maxReplicas: 4 },
        }),
        headers: { 'content-type': applyPatch },
      });
    });
  });
}
