import { equalJson, isJsonObject, type JsonObject, type JsonValue } from '@flotilla/json';
import { subdomainFaults } from '@flotilla/kubernetes-formats';
import { type FieldError, invalid, required } from '../../../api/field-error.ts';
import type { KubeObject } from '../../../api/meta.ts';
import { childPath } from '../../../api/schema/field-path.ts';
import { listOf, numberOf, objectAt, textOf } from '../rules/checks.ts';
import { driverNameErrors } from '../rules/csi-rules.ts';
import { faultErrors, immutableErrors } from '../rules/field-rules.ts';
import { nodeSelectorErrors } from '../rules/volumes/node-selector-rules.ts';
import { setErrors } from './bounded-lists.ts';
import { counterSetErrors } from './counter-rules.ts';
import { poolNameErrors } from './device-names.ts';
import { deviceErrors } from './device-rules.ts';

const maxDevices = 128;
const maxAdvancedDevices = 64;
const maxCounterSets = 8;

/** Returns the errors of a ResourceSlice. `old` is absent for a create. */
export function* sliceErrors(object: KubeObject, old?: KubeObject): Generator<FieldError> {
  const spec = objectAt(object as JsonValue, 'spec');
  const before = old === undefined ? undefined : objectAt(old as JsonValue, 'spec');
  yield* driverNameErrors(textOf(spec.driver), 'spec.driver');
  yield* poolErrors(objectAt(spec, 'pool'));
  if (before !== undefined) {
    const pools = [objectAt(spec, 'pool').name, objectAt(before, 'pool').name] as const;
    yield* immutableErrors('spec.pool.name', ...pools);
    yield* immutableErrors('spec.driver', spec.driver, before.driver);
    yield* immutableErrors('spec.nodeName', spec.nodeName, before.nodeName);
  }
  yield* nodeChoiceErrors(spec);
  if (spec.sharedCounters !== undefined && spec.devices !== undefined) {
    yield invalid('spec', '', 'only one of `sharedCounters` or `devices` is allowed');
  }
  const hasNewTaints = changedTaints(before);
  const selectsNodes = spec.perDeviceNodeSelection === true;
  yield* setErrors(spec.devices, 'spec.devices', {
    max: hasAdvancedDevices(spec) ? maxAdvancedDevices : maxDevices,
    keyOf: nameOf,
    errorsOf: (item, path) =>
      isJsonObject(item) ? deviceErrors(item, path, { hasNewTaints: hasNewTaints(item), selectsNodes }) : [],
  });
  yield* setErrors(spec.sharedCounters, 'spec.sharedCounters', {
    max: maxCounterSets,
    keyOf: nameOf,
    errorsOf: (item, path) => (isJsonObject(item) ? counterSetErrors(item, path, 'name') : []),
  });
}

function nameOf(item: JsonValue): string {
  return textOf(isJsonObject(item) ? item.name : undefined);
}

function* poolErrors(pool: JsonObject): Generator<FieldError> {
  const [count, generation] = [numberOf(pool.resourceSliceCount), numberOf(pool.generation)];
  yield* poolNameErrors(textOf(pool.name), 'spec.pool.name');
  if (count <= 0) yield invalid('spec.pool.resourceSliceCount', count, 'must be greater than zero');
  if (generation < 0) yield invalid('spec.pool.generation', generation, 'must be greater than or equal to zero');
}

function* nodeChoiceErrors(spec: JsonObject): Generator<FieldError> {
  const set: string[] = [];
  if (spec.nodeName === '') yield invalid('spec.nodeName', '', 'must be either unset or set to a non-empty string');
  else if (typeof spec.nodeName === 'string') {
    set.push('`nodeName`');
    yield* faultErrors('spec.nodeName', spec.nodeName, subdomainFaults(spec.nodeName));
  }
  if (isJsonObject(spec.nodeSelector)) {
    set.push('`nodeSelector`');
    yield* nodeSelectorErrors(spec.nodeSelector, 'spec.nodeSelector');
    const terms = listOf(spec.nodeSelector.nodeSelectorTerms);
    const path = 'spec.nodeSelector.nodeSelectorTerms';
    if (terms.length !== 1) yield invalid(path, [...terms], 'must have exactly one node selector term');
  }
  for (const name of ['allNodes', 'perDeviceNodeSelection']) {
    if (spec[name] === true) set.push(`\`${name}\``);
    else if (spec[name] === false) yield invalid(childPath('spec', name), false, 'must be either unset or set to true');
  }
  const detail = 'exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required';
  if (set.length === 0) yield required('spec', detail);
  else if (set.length > 1) yield invalid('spec', `{${set.join(', ')}}`, `${detail}, but multiple fields are set`);
}

/**
 * True if a device has taints or uses shared counters. Such devices reduce the maximum number of devices in a slice.
 */
function hasAdvancedDevices(spec: JsonObject): boolean {
  return listOf(spec.devices).some(
    (device) =>
      isJsonObject(device) && (listOf(device.taints).length > 0 || listOf(device.consumesCounters).length > 0),
  );
}

/** Returns a function that returns true if the taints of a device are new. Stored taints are not checked again. */
function changedTaints(before: JsonObject | undefined): (device: JsonObject) => boolean {
  const known = new Map<string, JsonValue>();
  for (const device of listOf(before?.devices)) {
    if (isJsonObject(device) && !known.has(nameOf(device))) known.set(nameOf(device), device.taints ?? []);
  }
  return (device) => {
    const old = known.get(nameOf(device));
    return old === undefined || !equalJson(device.taints ?? [], old);
  };
}
