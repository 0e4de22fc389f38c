import {
  cloneJson,
  equalJson,
  type JsonObject,
  type JsonValue,
  listAt,
  objectAt,
  textAt,
  valueAt,
} from '@flotilla/json';
import type { KubeObject } from '../../../../../api/meta.ts';
import { refusedPod, type StoreOf } from './refuse-pod.ts';

const classes = 'runtimeclasses.node.k8s.io';
/**
 * The maximum number of tolerations from which redundant ones are removed. The work grows with the square of this
 * number.
 */
const maxCompared = 100;

function classOf(object: KubeObject, spec: JsonValue | undefined, storeOf: StoreOf): JsonValue | undefined {
  if ((valueAt(spec, 'runtimeClassName') ?? undefined) === undefined) return undefined;
  const name = textAt(spec, 'runtimeClassName');
  const found = storeOf(classes)?.peek('', name)?.object;
  if (found === undefined) throw refusedPod(object, `pod rejected: RuntimeClass ${JSON.stringify(name)} not found`);
  return found as JsonValue;
}

/**
 * Adds the overhead and the node selection of a new pod's runtime class to the pod. Throws 403 if they contradict the
 * pod's own values.
 */
export function admitRuntimeClass(object: KubeObject, spec: JsonObject, storeOf: StoreOf): void {
  const runtimeClass = classOf(object, spec, storeOf);
  const overhead = objectAt(runtimeClass, 'overhead');
  if (overhead !== undefined) {
    const amounts = objectAt(overhead, 'podFixed') ?? {};
    const given = objectAt(spec, 'overhead') ?? {};
    if (Object.keys(given).length > 0 && !equalJson(given, amounts)) throw refusedPod(object, differentOverhead);
    spec.overhead = cloneJson(amounts);
  }
  const scheduling = objectAt(runtimeClass, 'scheduling');
  if (scheduling === undefined) return;
  const selector = objectAt(spec, 'nodeSelector') ?? {};
  for (const [key, value] of Object.entries(objectAt(scheduling, 'nodeSelector') ?? {})) {
    const own = selector[key] ?? value;
    if (own !== value) {
      const conflict = `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${String(value)}`;
      throw refusedPod(object, `${conflict}; pod.spec.nodeSelector[${key}] = ${String(own)}`);
    }
    selector[key] = value;
  }
  if (Object.keys(selector).length > 0) spec.nodeSelector = selector;
  const tolerations = mergedTolerations([
    ...listAt(spec, 'tolerations'),
    ...listAt(scheduling, 'tolerations').map((toleration) => cloneJson(toleration)),
  ]);
  if (tolerations.length > 0) spec.tolerations = tolerations;
}

const differentOverhead = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";

/** Throws 403 if the overhead of a new pod differs from the overhead of its runtime class. */
export function checkOverhead(object: KubeObject, storeOf: StoreOf): void {
  const spec = objectAt(object as JsonValue, 'spec');
  const expected = objectAt(classOf(object, spec, storeOf), 'overhead');
  const overhead = objectAt(spec, 'overhead');
  if (expected !== undefined) {
    if (!equalJson(overhead ?? {}, objectAt(expected, 'podFixed') ?? {})) throw refusedPod(object, differentOverhead);
  } else if (overhead !== undefined) {
    throw refusedPod(object, 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead');
  }
}

/** Returns the tolerations without those that another toleration includes. */
function mergedTolerations(all: JsonValue[]): JsonValue[] {
  if (all.length > maxCompared) return all;
  return all.filter((toleration, index) =>
    all.every((other, at) => {
      if (at === index) return true;
      const isEqual = equalJson(other, toleration);
      return isEqual ? at > index : !includes(other, toleration);
    }),
  );
}

function includes(whole: JsonValue, part: JsonValue): boolean {
  const [key, operator, effect] = ['key', 'operator', 'effect'].map((member) => textAt(whole, member));
  if (textAt(part, 'key') !== key && !(key === '' && operator === 'Exists')) return false;
  if (effect !== '' && textAt(part, 'effect') !== effect) return false;
  const seconds = valueAt(whole, 'tolerationSeconds') ?? undefined;
  const ofPart = valueAt(part, 'tolerationSeconds') ?? undefined;
  const isShorter = seconds !== undefined && (ofPart === undefined || Number(ofPart) > Number(seconds));
  if (effect === 'NoExecute' && isShorter) return false;
  if (operator === 'Exists') return true;
  return textAt(part, 'operator') === 'Equal' && textAt(part, 'value') === textAt(whole, 'value');
}
