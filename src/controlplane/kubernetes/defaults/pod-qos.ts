import { isJsonObject, type JsonObject } from '@flotilla/json';
import { type Amounts, amountsOf } from './pod-resources.ts';
import { itemsOf } from './set-defaults.ts';

const resources = ['cpu', 'memory'];

/** The quality-of-service class of a pod, which applies if its node lacks resources. */
type QosClass = 'BestEffort' | 'Burstable' | 'Guaranteed';

/**
 * Returns the quality-of-service class of a pod. The class follows from the pod-level requests and limits or, if there
 * are none, from the requests and limits of the containers.
 */
export function qosClassOf(spec: JsonObject): QosClass {
  const owners = isJsonObject(spec.resources)
    ? [spec]
    : [...itemsOf(spec, 'containers'), ...itemsOf(spec, 'initContainers')];
  const [requests, limits] = [new Map<string, bigint>(), new Map<string, bigint>()];
  let isGuaranteed = true;
  for (const owner of owners) {
    addPositive(requests, amountsOf(owner, 'requests'));
    const limited = addPositive(limits, amountsOf(owner, 'limits'));
    const isUnlimited =
      owner === spec && Object.keys(isJsonObject(spec.resources) ? limitsOf(spec.resources) : {}).length === 0;
    if (limited < resources.length && !isUnlimited) isGuaranteed = false;
  }
  if (requests.size === 0 && limits.size === 0) return 'BestEffort';
  const isEqual = [...requests].every(([name, amount]) => limits.get(name) === amount);
  return isGuaranteed && isEqual && requests.size === limits.size ? 'Guaranteed' : 'Burstable';
}

function limitsOf(owner: JsonObject): JsonObject {
  return isJsonObject(owner.limits) ? owner.limits : {};
}

/** Adds the positive amounts of CPU and memory to `total`. Returns how many amounts were added. */
function addPositive(total: Map<string, bigint>, amounts: Amounts): number {
  let count = 0;
  for (const name of resources) {
    const { billionths } = amounts.get(name) ?? { billionths: 0n };
    if (billionths <= 0n) continue;
    total.set(name, (total.get(name) ?? 0n) + billionths);
    count += 1;
  }
  return count;
}
