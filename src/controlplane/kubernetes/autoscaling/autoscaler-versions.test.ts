import type { JsonObject } from '@flotilla/json';
import { expect, it } from 'vitest';
import type { KubeObject } from '../../../api/meta.ts';
import type { MutationAttributes } from '../../../registry/mutation-attributes.ts';
import { testWatchOptions } from '../../../registry/widgets.fixture.ts';
import { decodeDocument } from '../../../registry/write/decode.ts';
import { ObjectMutation } from '../../object-mutation.ts';
import { testWriteOptions } from '../../plane.fixture.ts';
import { Kinds, refusal } from '../kubernetes-kinds.fixture.ts';
import { autoscaler, autoscalerV1 } from './autoscaler-versions.ts';
import { autoscalerToV1, autoscalerToV2 } from './convert-autoscaler.ts';

const key = 'horizontalpodautoscalers.autoscaling';
const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
const cpu = (averageUtilization: number) => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } },
});
const pods = {
  type: 'Pods',
  pods: { metric: { name: 'requests' }, target: { type: 'AverageValue', averageValue: '1k' } },
};
const prefix = 'autoscaling.alpha.kubernetes.io';

async function openVersions() {
  const kinds = await Kinds.open();
  const v1 = kinds.store(key).inVersion(autoscalerV1);
  const sent = (members: JsonObject): KubeObject =>
    decodeDocument(autoscalerV1, members, { findings: [], namespace: 'default' }).object;
  const stored = (name: string) => kinds.store(key).peek('default', name)?.object as JsonObject;
  const createV1 = async (members: JsonObject): Promise<KubeObject> =>
    (await v1.verbs.create(kinds.context(), sent(members), testWriteOptions)).object;
  return { kinds, v1, sent, stored, createV1 };
}

it('an autoscaler of autoscaling/v1 is stored in autoscaling/v2, with the metric that Kubernetes adds', async () => {
  const { createV1, stored, kinds, v1 } = await openVersions();
  const created = await createV1({ metadata: { name: 'web' }, spec: { scaleTargetRef, maxReplicas: 3 } });
  expect(created).toMatchObject({
    apiVersion: 'autoscaling/v1',
    spec: { minReplicas: 1, targetCPUUtilizationPercentage: 80 },
  });
  expect(stored('web')).toMatchObject({ apiVersion: 'autoscaling/v2', spec: { metrics: [cpu(80)] } });
  expect(kinds.store(key).count()).toBe(1);
  expect(v1.peek('default', 'web')?.object).toEqual(created);
});

it('annotations represent what autoscaling/v1 lacks, and no client can set them', async () => {
  const { kinds, v1, stored } = await openVersions();
  const annotations = { [`${prefix}/metrics`]: '[]', mine: 'a' };
  await kinds.create(key, 'web', {
    metadata: { name: 'web', annotations },
    spec: { scaleTargetRef, maxReplicas: 3, metrics: [cpu(70), pods] },
  });
  expect(stored('web').metadata).toMatchObject({ annotations: { mine: 'a' } });
  expect(v1.peek('default', 'web')?.object).toMatchObject({
    metadata: {
      annotations: {
        mine: 'a',
        [`${prefix}/metrics`]: '[{"type":"Pods","pods":{"metricName":"requests","targetAverageValue":"1k"}}]',
      },
    },
    spec: { targetCPUUtilizationPercentage: 70 },
  });
});

it('a write in autoscaling/v1 keeps what it does not change as it is stored', async () => {
  const { kinds, v1, stored, sent } = await openVersions();
  const metrics = [cpu(70), pods];
  const created = await kinds.create(key, 'web', { spec: { scaleTargetRef, maxReplicas: 3, metrics } });
  const conditions = [{ type: 'AbleToScale', status: 'True' }];
  await kinds.updateStatus(key, created, { status: { currentReplicas: 1, desiredReplicas: 2, conditions } });
  const seen = v1.peek('default', 'web')?.object as JsonObject;
  const metadata = { name: 'web', annotations: { ...((seen.metadata as JsonObject).annotations as JsonObject) } };
  delete (metadata.annotations as JsonObject)[`${prefix}/conditions`];
  await v1.verbs.update(kinds.context(), 'web', sent({ ...seen, metadata: { ...metadata, labels: { a: 'b' } } }), {
    ...testWriteOptions,
  });
  expect(stored('web')).toMatchObject({ metadata: { labels: { a: 'b' } }, spec: { metrics }, status: { conditions } });
});

it('both versions have the same rules', async () => {
  const { createV1 } = await openVersions();
  const spec = { scaleTargetRef, maxReplicas: 3, targetCPUUtilizationPercentage: 0 };
  expect(await refusal(createV1({ metadata: { name: 'bad' }, spec }))).toContain(
    'spec.metrics[0].resource.target.averageUtilization: Invalid value: 0: must be greater than 0',
  );
});

it('conversions to autoscaling/v1 and back keep all members', () => {
  const object = decodeDocument(
    autoscaler,
    {
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'web' },
      spec: { scaleTargetRef, maxReplicas: 3, metrics: [pods, cpu(5)], behavior: { scaleUp: { selectPolicy: 'Min' } } },
      status: {
        desiredReplicas: 1,
        currentMetrics: [{ type: 'Pods', pods: { metric: { name: 'requests' }, current: { averageValue: '9' } } }],
        conditions: [{ type: 'A', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }],
      },
    },
    { findings: [] },
  ).object;
  expect(autoscalerToV2(autoscalerToV1(object))).toEqual(object);
});

it.each(['2026-01-01T00:00:00+24:00', '2026-01-01T00:00:00+99:99', '2026-01-01T00:00:00,5Z'])(
  'an annotation with a time that does not exist is ignored: %s',
  async (lastTransitionTime) => {
    const { createV1, stored } = await openVersions();
    const text = JSON.stringify([{ type: 'AbleToScale', status: 'True', lastTransitionTime }]);
    const metadata = { name: 'web', annotations: { [`${prefix}/conditions`]: text } };
    await createV1({ metadata, spec: { scaleTargetRef, maxReplicas: 3 } });
    expect(stored('web')).not.toHaveProperty('status.conditions');
  },
);

it('a watch in autoscaling/v1 gets writes in autoscaling/v2, converted', async () => {
  const { kinds, v1 } = await openVersions();
  const watch = await v1.verbs.watch(kinds.context(), testWatchOptions());
  await kinds.create(key, 'web', { spec: { scaleTargetRef, maxReplicas: 3, metrics: [cpu(7)] } });
  for await (const event of watch) {
    if (!('object' in event)) continue;
    expect([event.type, event.object.object]).toMatchObject([
      'ADDED',
      { apiVersion: 'autoscaling/v1', spec: { targetCPUUtilizationPercentage: 7 } },
    ]);
    break;
  }
});

it('a mutator of autoscaling/v1 changes objects of autoscaling/v2 in its version', () => {
  const object = decodeDocument(
    autoscaler,
    { metadata: { name: 'web' }, spec: { scaleTargetRef, maxReplicas: 3, metrics: [cpu(7), pods] } },
    { findings: [] },
  ).object;
  const mutation = new ObjectMutation({ resource: autoscaler, object } as unknown as MutationAttributes);
  mutation.changeIn('v1', (write, seen) => {
    expect([write.resource, seen.apiVersion]).toEqual([autoscalerV1, 'autoscaling/v1']);
    const spec = { ...(seen.spec as JsonObject), targetCPUUtilizationPercentage: 8 };
    return write.decode({ ...(seen as JsonObject), spec }).object;
  });
  expect(mutation.object).toMatchObject({ apiVersion: 'autoscaling/v2', spec: { metrics: [pods, cpu(8)] } });
});
