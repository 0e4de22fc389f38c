import { cloneJson, isJsonObject, type JsonObject } from '@flotilla/json';
import type { StructDefault } from '../../../api/structs/struct-defaults.ts';
import { isEmptyList, setIfAbsent } from './set-defaults.ts';

/** The target CPU utilization, in percent of the request, of an autoscaler without metrics. */
const cpuUtilization = 80;

/** Returns the metrics of an autoscaler that has none. */
export function defaultMetrics(): JsonObject[] {
  const target = { type: 'Utilization', averageUtilization: cpuUtilization };
  return [{ type: 'Resource', resource: { name: 'cpu', target } }];
}

const scaleUp: JsonObject = {
  stabilizationWindowSeconds: 0,
  selectPolicy: 'Max',
  policies: [
    { type: 'Pods', value: 4, periodSeconds: 15 },
    { type: 'Percent', value: 100, periodSeconds: 15 },
  ],
};

const scaleDown: JsonObject = {
  selectPolicy: 'Max',
  policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
};

/** The defaults of autoscaling/v1 and autoscaling/v2. */
export const autoscalingDefaults: Readonly<Record<string, StructDefault>> = {
  'autoscaling.HorizontalPodAutoscalerSpec': (spec) => setIfAbsent(spec, { minReplicas: 1 }),
  'autoscalingV2.HorizontalPodAutoscalerSpec': (spec) => {
    setIfAbsent(spec, { minReplicas: 1 });
    if (isEmptyList(spec.metrics)) spec.metrics = defaultMetrics();
    if (!isJsonObject(spec.behavior)) return;
    spec.behavior.scaleUp ??= {};
    spec.behavior.scaleDown ??= {};
    if (isJsonObject(spec.behavior.scaleUp)) setIfAbsent(spec.behavior.scaleUp, cloneJson(scaleUp));
    if (isJsonObject(spec.behavior.scaleDown)) setIfAbsent(spec.behavior.scaleDown, cloneJson(scaleDown));
  },
};
