import { isJsonObject, type JsonValue, listAt, numberAt, objectAt, textAt, valueAt } from '@flotilla/json';
import { ageColumn, column } from '../../../api/columns.ts';
import type { KubeObject } from '../../../api/meta.ts';
import type { KubernetesKind } from '../kubernetes-kind.ts';
import { rulesOf, statusRulesOf } from '../rules/kind-rules.ts';

/** For each metric type, the name of the metric's member that contains the values. */
const sources: ReadonlyMap<string, string> = new Map([
  ['External', 'external'],
  ['Object', 'object'],
  ['Pods', 'pods'],
  ['Resource', 'resource'],
  ['ContainerResource', 'containerResource'],
]);

const maxListed = 2;
const unknown = '<unknown>';

/** Returns the current and the desired values of the first metrics, as kubectl prints them. */
function targetsOf(object: KubeObject): string {
  const metrics = listAt(object as JsonValue, 'spec', 'metrics');
  if (metrics.length === 0) return '<none>';
  const statuses = listAt(object as JsonValue, 'status', 'currentMetrics');
  const listed = metrics.slice(0, maxListed).map((metric, index) => targetOf(metric, statuses[index]));
  const more = metrics.length > maxListed ? ` + ${metrics.length - maxListed} more...` : '';
  return `${listed.join(', ')}${more}`;
}

function targetOf(metric: JsonValue, status: JsonValue | undefined): string {
  const type = textAt(metric, 'type');
  const source = sources.get(type);
  if (source === undefined) return '<unknown type>';
  const target = objectAt(metric, source, 'target') ?? {};
  const current = objectAt(status, source, 'current');
  if (type === 'Resource' || type === 'ContainerResource') {
    return `${textAt(metric, source, 'name')}: ${resourceTarget(target, current)}`;
  }
  if (type === 'Pods') return `${amount(current, 'averageValue')}/${printed(target.averageValue)}`;
  if (target.averageValue === undefined) return `${amount(current, 'value')}/${printed(target.value)}`;
  return `${printed(current?.averageValue, unknown)}/${printed(target.averageValue)} (avg)`;
}

function resourceTarget(target: JsonValue, current: JsonValue | undefined): string {
  const average = valueAt(target, 'averageValue');
  if (average !== undefined) return `${amount(current, 'averageValue')}/${printed(average)}`;
  const percent = (of: JsonValue | undefined, absent: string) => {
    const utilization = numberAt(of, 'averageUtilization');
    return utilization === undefined ? absent : `${utilization}%`;
  };
  return `${percent(current, unknown)}/${percent(target, '<auto>')}`;
}

/**
 * Returns a current value as text. As in Kubernetes, the text for a metric that was not observed differs from the text
 * for an observed metric without this value.
 */
function amount(current: JsonValue | undefined, member: string): string {
  return isJsonObject(current) ? printed(current[member]) : unknown;
}

function printed(value: JsonValue | undefined, absent = '<nil>'): string {
  return value === undefined ? absent : String(value);
}

function referenceOf(object: KubeObject): string {
  const reference = objectAt(object as JsonValue, 'spec', 'scaleTargetRef');
  return `${textAt(reference, 'kind')}/${textAt(reference, 'name')}`;
}

/** Autoscalers of autoscaling/v2. No component scales their targets on the built-in cluster. */
export const horizontalPodAutoscaler: KubernetesKind = {
  ...rulesOf('autoscalingV2.HorizontalPodAutoscaler'),
  group: 'autoscaling',
  version: 'v2',
  plural: 'horizontalpodautoscalers',
  shortNames: ['hpa'],
  categories: ['all'],
  namespaced: true,
  description: 'A range for the number of pods of a workload, and the metrics that decide on it.',
  unconditionalUpdate: true,
  status: { keeps: [], ...statusRulesOf('autoscalingV2.HorizontalPodAutoscaler') },
  columns: [
    column('Reference', referenceOf, { description: 'The workload.' }),
    column('Targets', targetsOf, { description: 'The current and the desired values of the metrics.' }),
    column('MinPods', (object) => String(valueAt(object as JsonValue, 'spec', 'minReplicas') ?? '<unset>'), {
      description: 'The minimum number of pods.',
    }),
    column('MaxPods', 'spec.maxReplicas', { type: 'integer', description: 'The maximum number of pods.' }),
    column('Replicas', 'status.currentReplicas', { type: 'integer', description: 'The current number of pods.' }),
    ageColumn,
  ],
};
