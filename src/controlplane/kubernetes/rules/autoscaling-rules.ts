import { isJsonObject, type JsonObject, type JsonValue } from '@flotilla/json';
import { labelFaults, parseQuantity, pathSegmentFaults } from '@flotilla/kubernetes-formats';
import { forbiddenField, invalid, notSupported, required } from '../../../api/field-error.ts';
import { childPath } from '../../../api/schema/field-path.ts';
import { rememberLast } from '../../../lib/remember-last.ts';
import {
  atLeast,
  atMost,
  exactlyOneOf,
  isRequired,
  listOf,
  memberAt,
  notNegative,
  notNegativeQuantity,
  numberOf,
  oneOf,
  requiredTextWithout,
  textOf,
  valueAtLeast,
} from './checks.ts';
import { memberChecks } from './member-checks.ts';
import type { Check, KindRules, StructRules } from './object-rules.ts';
import { containerResourceNameErrors } from './resource-checks.ts';

const maxPeriodSeconds = 1800;
const maxWindowSeconds = 3600;

/** For each metric type, the member that the type requires, in the order in which Kubernetes checks the members. */
const sources: Readonly<Record<string, string>> = {
  Object: 'object',
  External: 'external',
  Pods: 'pods',
  Resource: 'resource',
  ContainerResource: 'containerResource',
};
const sourceTypes = Object.keys(sources).toSorted();

const minReplicas: Check = function* (value, { path, old }) {
  const least = memberAt(old, ['spec', 'minReplicas']) === 0 ? 0 : 1;
  if (value !== undefined && numberOf(value) < least) {
    yield invalid(path, value, `must be greater than or equal to ${least}`);
  }
};

const maxReplicas: Check = function* (value, { path, parent }) {
  const most = numberOf(value);
  if (most === 0) yield required(path, 'must be set and greater than 0');
  else if (most < 0) yield invalid(path, value, 'must be greater than or equal to 1');
  const least = parent.minReplicas ?? undefined;
  if (least !== undefined && most < numberOf(least)) {
    yield invalid(path, value ?? 0, 'must be greater than or equal to `minReplicas`');
  }
};

/** Returns the problem of an API version; `undefined` if there is none. */
function apiVersionProblem(apiVersion: string, mayBeCore: boolean): string | undefined {
  const parts = apiVersion.split('/');
  if (parts.length > 2) return `unexpected GroupVersion string: ${apiVersion}`;
  return parts.length < 2 && !mayBeCore ? 'apiVersion must specify API group' : undefined;
}

/** Validates the API version of the scale target. An update is checked only if the API version or the kind changes. */
const targetVersion: Check = function* (value, { path, old }) {
  const target = isJsonObject(value) ? value : {};
  const before = memberAt(old, ['spec', 'scaleTargetRef']);
  const same = (member: string) => textOf(memberAt(before, [member])) === textOf(target[member]);
  if (old !== undefined && same('apiVersion') && same('kind')) return;
  const apiVersion = textOf(target.apiVersion);
  const problem = apiVersionProblem(apiVersion, target.kind === 'ReplicationController');
  if (problem !== undefined) yield invalid(childPath(path, 'apiVersion'), apiVersion, problem);
};

/** True if a metric of the stored autoscaler has a `describedObject` with an invalid API version. */
const hasInvalidVersion = rememberLast((old: JsonObject | undefined): boolean =>
  listOf(memberAt(old, ['spec', 'metrics']))
    .filter((metric) => memberAt(metric, ['type']) === 'Object')
    .map((metric) => textOf(memberAt(metric, ['object', 'describedObject', 'apiVersion'])))
    .some((version) => apiVersionProblem(version, true) !== undefined),
);

/**
 * Checks the API version of the `describedObject` of a metric. Skipped if the stored autoscaler already contains an
 * invalid API version there.
 */
const describedVersion: Check = function* (value, { path, old }) {
  if (hasInvalidVersion(old)) return;
  const apiVersion = textOf(memberAt(value, ['apiVersion']));
  const problem = apiVersionProblem(apiVersion, true);
  if (problem !== undefined) yield invalid(childPath(path, 'apiVersion'), apiVersion, problem);
};

/**
 * Requires an Object or External metric if the minimum number of replicas is 0. Kubernetes makes this check after the
 * checks of the metrics and before those of the behavior.
 */
const metricsForZero: Check = function* (_, { parent }) {
  if (parent.minReplicas !== 0) return;
  const types = listOf(parent.metrics).map((metric) => memberAt(metric, ['type']));
  if (types.includes('Object') || types.includes('External')) return;
  yield forbiddenField(
    'spec.metrics',
    'must specify at least one Object or External metric to support scaling to zero replicas',
  );
};

const metricType: Check = function* (value, { path }) {
  const type = textOf(memberAt(value, ['type']));
  const typePath = childPath(path, 'type');
  if (type === '') yield required(typePath, 'must specify a metric source type');
  if (!sourceTypes.includes(type)) yield notSupported(typePath, type, sourceTypes);
};

const metricSource: Check = function* (value, { path }) {
  const type = textOf(memberAt(value, ['type']));
  const expected = Object.hasOwn(sources, type) ? sources[type] : undefined;
  const present = Object.values(sources).filter((member) => isJsonObject(memberAt(value, [member])));
  if (expected === undefined) yield notSupported(childPath(path, 'type'), type, sourceTypes);
  else if (!present.includes(expected)) {
    yield required(childPath(path, expected), 'must populate information for the given metric source');
  }
  if (present.length === 1) return;
  for (const member of present.filter((one) => one !== expected)) {
    yield forbiddenField(childPath(path, member), 'must populate the given metric source only');
  }
};

function isPresent(value: JsonValue | undefined, ...path: readonly string[]): boolean {
  return memberAt(value, path) !== undefined;
}

/** The rule that a metric source must have one of two targets. Errors are reported at members of `target`. */
interface TargetRule {
  readonly members: readonly [string, string];
  readonly missing: readonly [string, string];
  readonly both?: readonly [string, string];
}

function target({ members: [one, other], missing, both }: TargetRule): Check {
  return function* (value, { path }) {
    const [hasOne, hasOther] = [isPresent(value, 'target', one), isPresent(value, 'target', other)];
    if (!hasOne && !hasOther) yield required(`${path}.target.${missing[0]}`, missing[1]);
    if (hasOne && hasOther && both !== undefined) yield forbiddenField(`${path}.target.${both[0]}`, both[1]);
  };
}

const utilizationTarget = target({
  members: ['averageUtilization', 'averageValue'],
  missing: ['averageUtilization', 'must set either a target raw value or a target utilization'],
  both: ['averageValue', 'may not set both a target raw value and a target utilization'],
});

const positiveQuantity: Check = function* (value, { path }) {
  if (typeof value === 'string' && parseQuantity(value).billionths <= 0n)
    yield invalid(path, value, 'must be positive');
};

const targetType: Check = function* (value, { path }) {
  const type = textOf(value);
  if (type === '') yield required(path, 'must specify a metric target type');
  if (!['Utilization', 'Value', 'AverageValue'].includes(type)) {
    yield invalid(path, type, 'must be either Utilization, Value, or AverageValue');
  }
};

const containerResource: Check = function* (value, position) {
  const name = textOf(value);
  if (name === '') yield required(position.path, 'must specify a resource name');
  else yield* containerResourceNameErrors(name, position.path);
};

const pathSegment = requiredTextWithout(pathSegmentFaults);
const referenceVersion: Check = (value, position) =>
  position.path === 'spec.scaleTargetRef' ? targetVersion(value, position) : describedVersion(value, position);

/** The rules of autoscaling/v2. Objects of autoscaling/v1 are converted before they are validated. */
export const autoscalingRules: Readonly<Record<string, StructRules>> = {
  'autoscalingV2.HorizontalPodAutoscalerSpec': {
    members: {
      minReplicas: [minReplicas],
      maxReplicas: [maxReplicas],
      scaleTargetRef: [],
      metrics: [],
      behavior: [metricsForZero],
    },
  },
  'autoscalingV2.CrossVersionObjectReference': {
    members: { kind: [pathSegment], name: [pathSegment] },
    after: [referenceVersion],
  },
  'autoscalingV2.MetricSpec': { whole: [metricType], after: [metricSource] },
  'autoscalingV2.ObjectMetricSource': {
    members: { describedObject: [], metric: [], target: [] },
    after: [
      target({
        members: ['value', 'averageValue'],
        missing: ['averageValue', 'must set either a target value or averageValue'],
      }),
    ],
  },
  'autoscalingV2.ExternalMetricSource': {
    after: [
      target({
        members: ['value', 'averageValue'],
        missing: ['averageValue', 'must set either a target value for metric or a per-pod target'],
        both: ['value', 'may not set both a target value for metric and a per-pod target'],
      }),
    ],
  },
  'autoscalingV2.PodsMetricSource': {
    after: [
      target({
        members: ['averageValue', 'averageValue'],
        missing: ['averageValue', 'must specify a positive target averageValue'],
      }),
    ],
  },
  'autoscalingV2.ResourceMetricSource': {
    members: { name: [isRequired('must specify a resource name')] },
    after: [utilizationTarget],
  },
  'autoscalingV2.ContainerResourceMetricSource': {
    members: { name: [containerResource], container: [requiredTextWithout(labelFaults, 'must specify a container')] },
    after: [utilizationTarget],
  },
  'autoscalingV2.MetricTarget': {
    members: {
      type: [targetType],
      value: [positiveQuantity],
      averageValue: [positiveQuantity],
      averageUtilization: [atLeast(1, 'must be greater than 0')],
    },
  },
  'autoscalingV2.MetricIdentifier': {
    members: { name: [requiredTextWithout(pathSegmentFaults, 'must specify a metric name')] },
  },
  'autoscalingV2.HorizontalPodAutoscalerBehavior': { members: { scaleUp: [], scaleDown: [] } },
  'autoscalingV2.HPAScalingRules': {
    members: {
      stabilizationWindowSeconds: [
        atLeast(0, 'must be greater than or equal to zero'),
        atMost(maxWindowSeconds, `must be less than or equal to ${maxWindowSeconds}`),
      ],
      selectPolicy: [oneOf('Disabled', 'Max', 'Min')],
      policies: [isRequired('must specify at least one Policy')],
      tolerance: [notNegativeQuantity],
    },
  },
  'autoscalingV2.HPAScalingPolicy': {
    members: {
      type: [exactlyOneOf('Percent', 'Pods')],
      value: [valueAtLeast(1, 'must be greater than zero')],
      periodSeconds: [
        valueAtLeast(1, 'must be greater than zero'),
        atMost(maxPeriodSeconds, `must be less than or equal to ${maxPeriodSeconds}`),
      ],
    },
  },
};

export const autoscalingKinds: Readonly<Record<string, KindRules>> = {
  'autoscalingV2.HorizontalPodAutoscaler': {
    update: ['structs'],
    status: [memberChecks('status', { currentReplicas: [notNegative], desiredReplicas: [notNegative] })],
  },
};
