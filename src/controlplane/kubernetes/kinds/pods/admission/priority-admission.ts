import { flagAt, type JsonObject, type JsonValue, numberAt, textAt, valueAt } from '@flotilla/json';
import type { KubeObject } from '../../../../../api/meta.ts';
import { refusedPod, type StoreOf } from './refuse-pod.ts';

const classes = 'priorityclasses.scheduling.k8s.io';
const priorityOf = (priorityClass: KubeObject | undefined) =>
  numberAt(priorityClass as JsonValue | undefined, 'value') ?? 0;

/** Sets the priority of a new pod from its priority class. Throws 403 if the class does not exist. */
export function admitPriority(object: KubeObject, spec: JsonObject, storeOf: StoreOf): void {
  const name = textAt(spec, 'priorityClassName');
  const found = name === '' ? defaultClass(storeOf) : storeOf(classes)?.peek('', name)?.object;
  if (found === undefined && name !== '') throw refusedPod(object, `no PriorityClass with name ${name} was found`);
  if (found?.metadata.name !== undefined) spec.priorityClassName = found.metadata.name;
  const priority = priorityOf(found);
  const given = numberAt(spec, 'priority');
  if (given !== undefined && given !== priority) {
    const reason = `the integer value of priority (${given}) must not be provided in pod spec; priority admission controller computed ${priority} from the given PriorityClass name`;
    throw refusedPod(object, reason);
  }
  spec.priority = priority;
  const policy = found === undefined ? 'PreemptLowerPriority' : textAt(found as JsonValue, 'preemptionPolicy');
  const givenPolicy = valueAt(spec, 'preemptionPolicy') ?? undefined;
  if (policy === '') return;
  if (givenPolicy !== undefined && givenPolicy !== policy) {
    const reason = `the string value of PreemptionPolicy (${String(givenPolicy)}) must not be provided in pod spec; priority admission controller computed ${policy} from the given PriorityClass name`;
    throw refusedPod(object, reason);
  }
  spec.preemptionPolicy = policy;
}

/**
 * Returns the default class. A race can create several default classes; the one with the lowest priority then applies.
 */
function defaultClass(storeOf: StoreOf): KubeObject | undefined {
  const all = (storeOf(classes)?.peekAll() ?? []).map(({ object }) => object);
  return all
    .filter((object) => flagAt(object as JsonValue, 'globalDefault'))
    .reduce<KubeObject | undefined>(
      (lowest, next) => (lowest === undefined || priorityOf(next) < priorityOf(lowest) ? next : lowest),
      undefined,
    );
}
