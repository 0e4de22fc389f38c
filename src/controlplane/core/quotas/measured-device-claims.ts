import { type JsonObject, type JsonValue, listAt, objectAt, textAt, valueAt } from '@flotilla/json';
import { type Quantity, quantityOfCount } from '@flotilla/kubernetes-formats';
import type { MeasuredKind } from './measured-kind.ts';

const resource = 'resourceclaims.resource.k8s.io';
const counted = `count/${resource}`;
const ofClass = '.deviceclass.resource.k8s.io/devices';

/**
 * The maximum number of devices that can be allocated for a claim. A request for all devices counts as a request for
 * this number of devices.
 */
const maxDevices = 32;

/** Returns the number of devices that a request, or one of its alternatives, requires. */
function countOf(request: JsonValue): bigint {
  const mode = textAt(request, 'allocationMode');
  if (mode === 'All') return BigInt(maxDevices);
  const count = valueAt(request, 'count');
  return mode === 'ExactCount' && (typeof count === 'number' || typeof count === 'bigint') ? BigInt(count) : 0n;
}

/** Returns, for each class, the maximum number of devices that may be allocated for a request. */
function devicesByClass(request: JsonValue): Map<string, bigint> {
  const alternatives = listAt(request, 'firstAvailable');
  const exactly = objectAt(request, 'exactly');
  const choices: readonly JsonValue[] = alternatives.length > 0 || exactly === undefined ? alternatives : [exactly];
  const most = new Map<string, bigint>();
  for (const choice of choices) {
    const name = textAt(choice, 'deviceClassName');
    const count = countOf(choice);
    if (count > (most.get(name) ?? 0n)) most.set(name, count);
  }
  return most;
}

/** Device claims. Their usage is computed as in `pkg/quota/v1/evaluator/core` of Kubernetes. */
export const measuredDeviceClaims: MeasuredKind = {
  resource,
  measures: (name) => name === counted || name.endsWith(ofClass),
  amountsOf(object) {
    const totals = new Map<string, bigint>();
    for (const request of listAt(object as JsonObject, 'spec', 'devices', 'requests')) {
      for (const [name, count] of devicesByClass(request)) totals.set(name, (totals.get(name) ?? 0n) + count);
    }
    const amounts = new Map<string, Quantity>([[counted, quantityOfCount(1)]]);
    for (const [name, count] of totals) amounts.set(name + ofClass, quantityOfCount(count));
    return amounts;
  },
};
