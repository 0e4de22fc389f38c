import { isJsonObject, type JsonObject, type JsonValue, valueAt } from '@flotilla/json';
import { parseQuantity } from '@flotilla/kubernetes-formats';

/** For each member of a metric in autoscaling/v1, the path of the same value in autoscaling/v2. */
type MemberPaths = Readonly<Record<string, readonly [string, ...string[]]>>;

const described: MemberPaths = { metricName: ['metric', 'name'], selector: ['metric', 'selector'] };

/**
 * For each metric type, the paths of the members of a metric. The keys are the names of the members that contain the
 * metric, such as `pods`.
 */
const metricPaths: Readonly<Record<string, MemberPaths>> = {
  object: {
    ...described,
    target: ['describedObject'],
    targetValue: ['target', 'value'],
    averageValue: ['target', 'averageValue'],
  },
  pods: { ...described, targetAverageValue: ['target', 'averageValue'] },
  resource: {
    name: ['name'],
    targetAverageUtilization: ['target', 'averageUtilization'],
    targetAverageValue: ['target', 'averageValue'],
  },
  containerResource: {
    name: ['name'],
    container: ['container'],
    targetAverageUtilization: ['target', 'averageUtilization'],
    targetAverageValue: ['target', 'averageValue'],
  },
  external: {
    metricName: ['metric', 'name'],
    metricSelector: ['metric', 'selector'],
    targetValue: ['target', 'value'],
    targetAverageValue: ['target', 'averageValue'],
  },
};

/** For each metric type, the paths of the members of an observed metric. */
const observedPaths: Readonly<Record<string, MemberPaths>> = {
  object: {
    ...described,
    target: ['describedObject'],
    currentValue: ['current', 'value'],
    averageValue: ['current', 'averageValue'],
  },
  pods: { ...described, currentAverageValue: ['current', 'averageValue'] },
  resource: {
    name: ['name'],
    currentAverageUtilization: ['current', 'averageUtilization'],
    currentAverageValue: ['current', 'averageValue'],
  },
  containerResource: {
    name: ['name'],
    container: ['container'],
    currentAverageUtilization: ['current', 'averageUtilization'],
    currentAverageValue: ['current', 'averageValue'],
  },
  external: {
    metricName: ['metric', 'name'],
    metricSelector: ['metric', 'selector'],
    currentValue: ['current', 'value'],
    currentAverageValue: ['current', 'averageValue'],
  },
};

/** Converts a metric of an autoscaling/v2 spec. */
export function metricToV1(metric: JsonObject): JsonObject {
  return toV1(metric, metricPaths);
}

/** Converts a metric of an autoscaling/v2 status. */
export function observedToV1(metric: JsonObject): JsonObject {
  return toV1(metric, observedPaths);
}

/** Converts a metric of an autoscaling/v1 annotation. */
export function metricToV2(metric: JsonObject): JsonObject {
  const converted = toV2(metric, metricPaths);
  for (const source of Object.keys(metricPaths)) {
    const target = valueAt(converted, source, 'target');
    if (isJsonObject(target)) setTargetType(source, target);
  }
  return converted;
}

/** Converts an observed metric of an autoscaling/v1 annotation. */
export function observedToV2(metric: JsonObject): JsonObject {
  return toV2(metric, observedPaths);
}

/** Sets the target type. autoscaling/v1 has no target types, so the type follows from the values that are present. */
function setTargetType(source: string, target: JsonObject): void {
  const { value, averageValue, averageUtilization } = target;
  if (source === 'object') {
    target.type = averageValue === undefined ? 'Value' : 'AverageValue';
    // In autoscaling/v1, the member `value` is always present. The value 0 means that it is not set, because 0 would be
    // invalid.
    if (averageValue !== undefined && isZero(value)) delete target.value;
  } else if (source === 'external') target.type = value === undefined ? 'AverageValue' : 'Value';
  else target.type = averageUtilization === undefined ? 'AverageValue' : 'Utilization';
}

function isZero(value: JsonValue | undefined): boolean {
  return typeof value === 'string' && parseQuantity(value).billionths === 0n;
}

function toV1(metric: JsonObject, sources: Readonly<Record<string, MemberPaths>>): JsonObject {
  const converted: JsonObject = { type: metric.type ?? '' };
  for (const [source, paths] of Object.entries(sources)) {
    const given = metric[source];
    if (!isJsonObject(given)) continue;
    const members: JsonObject = {};
    for (const [name, path] of Object.entries(paths)) {
      const value = valueAt(given, ...path);
      if (value !== undefined) members[name] = value;
    }
    converted[source] = members;
  }
  return converted;
}

function toV2(metric: JsonObject, sources: Readonly<Record<string, MemberPaths>>): JsonObject {
  const converted: JsonObject = { type: metric.type ?? '' };
  for (const [source, paths] of Object.entries(sources)) {
    const given = metric[source];
    if (!isJsonObject(given)) continue;
    const members: JsonObject = {};
    for (const [name, path] of Object.entries(paths)) setAt(members, path, given[name]);
    converted[source] = members;
  }
  return converted;
}

/** Sets the value at a path. If the path has two members, creates the outer object even without a value. */
function setAt(members: JsonObject, [first, second]: readonly string[], value: JsonValue | undefined): void {
  if (first === undefined) return;
  if (second === undefined) {
    if (value !== undefined) members[first] = value;
    return;
  }
  const known = members[first];
  const inner = isJsonObject(known) ? known : {};
  members[first] = inner;
  if (value !== undefined) inner[second] = value;
}
