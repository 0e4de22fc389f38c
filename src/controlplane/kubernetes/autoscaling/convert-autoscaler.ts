import { isJsonObject, type JsonObject, type JsonValue, listAt, numberAt, objectAt, textAt } from '@flotilla/json';
import { timestamp } from '@flotilla/kubernetes-formats';
import type { KubeObject, ObjectMeta } from '../../../api/meta.ts';
import { toStoredForm } from '../../../api/structs/printed-form.ts';
import { defaultMetrics } from '../defaults/autoscaling-defaults.ts';
import { metricToV1, metricToV2, observedToV1, observedToV2 } from './convert-metrics.ts';
import { goText, structIn, structsIn, textOfStructs } from './struct-text.ts';

const prefix = 'autoscaling.alpha.kubernetes.io/';

/** The annotations of autoscaling/v1 for members of autoscaling/v2 that autoscaling/v1 lacks. */
const annotationKeys = {
  metrics: `${prefix}metrics`,
  behavior: `${prefix}behavior`,
  observed: `${prefix}current-metrics`,
  conditions: `${prefix}conditions`,
} as const;

/** Annotations that the server removes from all objects, because only conversions may set them. */
const reservedKeys: readonly string[] = [
  ...Object.values(annotationKeys),
  `${prefix}scale-down-tolerance`,
  `${prefix}scale-up-tolerance`,
];

export const v1 = 'autoscaling/v1';
export const v2 = 'autoscaling/v2';

/** Converts an autoscaler to autoscaling/v1, in its stored form. Does not change its argument. */
export function autoscalerToV1(object: KubeObject): KubeObject {
  if (object.apiVersion === v1) return object;
  const spec = objectAt(object as JsonValue, 'spec') ?? {};
  const status = objectAt(object as JsonValue, 'status') ?? {};
  const metrics = objectsIn(spec, 'metrics');
  const observed = objectsIn(status, 'currentMetrics');
  const utilization = numberAt(metrics.find(isCpuUtilization), 'resource', 'target', 'averageUtilization');
  const current = numberAt(observed.findLast(hasCpuUtilization), 'resource', 'current', 'averageUtilization');
  return toStoredForm({
    ...object,
    apiVersion: v1,
    metadata: withAnnotations(object.metadata, annotationsOf(spec, status)),
    spec: { ...common(spec, specMembers), ...optional('targetCPUUtilizationPercentage', utilization) },
    status: { ...common(status, statusMembers), ...optional('currentCPUUtilizationPercentage', current) },
  } as KubeObject);
}

/** Converts an autoscaler to autoscaling/v2, in its stored form. Does not change its argument. */
export function autoscalerToV2(object: KubeObject): KubeObject {
  if (object.apiVersion === v2) return object;
  const spec = objectAt(object as JsonValue, 'spec') ?? {};
  const status = objectAt(object as JsonValue, 'status') ?? {};
  const annotation = (key: string): string | undefined => {
    const text = object.metadata.annotations?.[key];
    return typeof text === 'string' ? text : undefined;
  };
  return toStoredForm({
    ...object,
    apiVersion: v2,
    metadata: withoutReservedAnnotations(object.metadata),
    spec: {
      ...common(spec, specMembers),
      metrics: metricsOf(spec, annotation(annotationKeys.metrics)),
      ...optional('behavior', behaviorIn(annotation(annotationKeys.behavior))),
    },
    status: {
      ...common(status, statusMembers),
      currentMetrics: observedMetricsOf(status, annotation(annotationKeys.observed)),
      conditions: conditionsIn(annotation(annotationKeys.conditions)),
    },
  } as KubeObject);
}

/** Returns metadata without the annotations that only conversions may set. */
export function withoutReservedAnnotations(metadata: ObjectMeta): ObjectMeta {
  const given = metadata.annotations;
  if (given === undefined || !reservedKeys.some((key) => Object.hasOwn(given, key))) return metadata;
  return withAnnotations(metadata, {});
}

const specMembers = ['scaleTargetRef', 'minReplicas', 'maxReplicas'];
const statusMembers = ['observedGeneration', 'lastScaleTime', 'currentReplicas', 'desiredReplicas'];

/** Returns the members that both versions have. */
function common(members: JsonObject, names: readonly string[]): JsonObject {
  const kept: JsonObject = {};
  for (const name of names) {
    const member = members[name];
    if (member !== undefined) kept[name] = member;
  }
  return kept;
}

function optional(name: string, value: JsonValue | undefined): JsonObject {
  return value === undefined ? {} : { [name]: value };
}

function objectsIn(members: JsonObject, name: string): JsonObject[] {
  return listAt(members, name).filter(isJsonObject);
}

function withAnnotations(metadata: ObjectMeta, added: Readonly<Record<string, string>>): ObjectMeta {
  const given = Object.entries(metadata.annotations ?? {}).filter(([key]) => !reservedKeys.includes(key));
  const annotations = { ...Object.fromEntries(given), ...added };
  const { annotations: _, ...others } = metadata;
  return Object.keys(annotations).length === 0 ? others : { ...others, annotations };
}

/** Returns the annotations with which autoscaling/v1 represents members that only autoscaling/v2 has. */
function annotationsOf(spec: JsonObject, status: JsonObject): Record<string, string> {
  const metrics = objectsIn(spec, 'metrics').filter((metric) => !isCpuUtilization(metric));
  const observed = objectsIn(status, 'currentMetrics');
  const conditions = objectsIn(status, 'conditions');
  const annotations: Record<string, string> = {};
  if (metrics.length > 0) {
    annotations[annotationKeys.metrics] = textOfStructs('autoscaling.MetricSpec', metrics.map(metricToV1));
  }
  if (observed.length > 0) {
    annotations[annotationKeys.observed] = textOfStructs('autoscaling.MetricStatus', observed.map(observedToV1));
  }
  if (isJsonObject(spec.behavior)) annotations[annotationKeys.behavior] = behaviorText(spec.behavior);
  if (conditions.length > 0) {
    annotations[annotationKeys.conditions] = textOfStructs('autoscaling.HorizontalPodAutoscalerCondition', conditions);
  }
  return annotations;
}

/** True for the metric that autoscaling/v1 represents as `targetCPUUtilizationPercentage`. */
function isCpuUtilization(metric: JsonObject): boolean {
  return isCpu(metric) && numberAt(metric, 'resource', 'target', 'averageUtilization') !== undefined;
}

function hasCpuUtilization(metric: JsonObject): boolean {
  return isCpu(metric) && numberAt(metric, 'resource', 'current', 'averageUtilization') !== undefined;
}

function isCpu(metric: JsonObject): boolean {
  return textAt(metric, 'type') === 'Resource' && textAt(metric, 'resource', 'name') === 'cpu';
}

function metricsOf({ targetCPUUtilizationPercentage: percentage }: JsonObject, text: string | undefined): JsonValue {
  const target = { type: 'Utilization', averageUtilization: percentage ?? null };
  const cpu: JsonObject[] =
    typeof percentage === 'number' ? [{ type: 'Resource', resource: { name: 'cpu', target } }] : [];
  const others = text === undefined ? [] : (structsIn('autoscaling.MetricSpec', text) ?? []);
  const metrics = [...others.map(metricToV2), ...cpu];
  return metrics.length === 0 ? defaultMetrics() : metrics;
}

function observedMetricsOf(
  { currentCPUUtilizationPercentage: percentage }: JsonObject,
  text: string | undefined,
): JsonValue {
  const observed = text === undefined ? undefined : structsIn('autoscaling.MetricStatus', text);
  if (observed !== undefined) return observed.map(observedToV2);
  if (typeof percentage !== 'number') return [];
  return [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: percentage } } }];
}

function conditionsIn(text: string | undefined): JsonValue {
  const conditions = text === undefined ? [] : (structsIn('autoscaling.HorizontalPodAutoscalerCondition', text) ?? []);
  const times = conditions.map(({ lastTransitionTime: time }) => (typeof time === 'string' ? Date.parse(time) : 0));
  // Return nothing if a time has the form of RFC 3339 but does not exist, for example with the offset +24:00. Clients
  // can send such times.
  if (times.some(Number.isNaN)) return [];
  return conditions.map(({ lastTransitionTime: time, ...condition }, index) =>
    typeof time === 'string' ? { ...condition, lastTransitionTime: timestamp(times[index] ?? 0) } : condition,
  );
}

function behaviorIn(text: string | undefined): JsonObject | undefined {
  const behavior = text === undefined ? undefined : structIn('autoscalingV2.HorizontalPodAutoscalerBehavior', text);
  return behavior === undefined || Object.keys(behavior).length === 0 ? undefined : behavior;
}

/** Returns the text of a behavior. Kubernetes uses the Go names of the members in this text. */
function behaviorText(behavior: JsonObject): string {
  return goText({ ScaleUp: goRules(behavior.scaleUp), ScaleDown: goRules(behavior.scaleDown) });
}

function goRules(rules: JsonValue | undefined): JsonValue {
  if (!isJsonObject(rules)) return null;
  return {
    StabilizationWindowSeconds: rules.stabilizationWindowSeconds ?? null,
    SelectPolicy: rules.selectPolicy ?? null,
    Policies: Array.isArray(rules.policies)
      ? rules.policies.filter(isJsonObject).map(({ type, value, periodSeconds }) => ({
          Type: type ?? '',
          Value: value ?? 0,
          PeriodSeconds: periodSeconds ?? 0,
        }))
      : null,
    Tolerance: rules.tolerance ?? null,
  };
}
