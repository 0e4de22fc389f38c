import { isJsonObject, type JsonObject, type JsonValue } from '@flotilla/json';
import { labelValueFaults, qualifiedNameFaults, subdomainFaults } from '@flotilla/kubernetes-formats';
import { type FieldError, forbiddenField, invalid, notSupported, required, tooLong } from '../../../api/field-error.ts';
import { childPath, keyPath } from '../../../api/schema/field-path.ts';
import { objectAt, textOf } from '../rules/checks.ts';
import { faultErrors, invalidStruct } from '../rules/field-rules.ts';
import { nodeSelectorErrors } from '../rules/volumes/node-selector-rules.ts';
import { bindingConditionErrors } from './binding-conditions.ts';
import { listErrors, setErrors } from './bounded-lists.ts';
import { capacityPolicyErrors } from './capacity-rules.ts';
import { taintEffects } from './claim-spec-rules.ts';
import { counterSetErrors } from './counter-rules.ts';
import { labelErrors, qualifiedNameErrors } from './device-names.ts';

const maxEntries = 32;
const maxKeyLength = 63 + 1 + 32;
const maxValueLength = 64;
const maxTaints = 16;
const maxConsumed = 2;
const version =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(\.(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?(\+[0-9a-zA-Z-]+(\.[0-9a-zA-Z-]+)*)?$/;

interface DeviceOptions {
  /** True if the taints of the device differ from the stored taints. */
  readonly hasNewTaints: boolean;
  /** True if each device of the slice selects its own nodes. */
  readonly selectsNodes: boolean;
}

/** Returns the errors of a device. */
export function* deviceErrors(device: JsonObject, path: string, options: DeviceOptions): Generator<FieldError> {
  yield* labelErrors(textOf(device.name), childPath(path, 'name'));
  const attributes = Object.entries(objectAt(device, 'attributes'));
  const capacities = Object.entries(objectAt(device, 'capacity'));
  const count = attributes.length + capacities.length;
  if (count > maxEntries) {
    yield invalid(path, count, `the total number of attributes and capacities must not exceed ${maxEntries}`);
  }
  for (const [name, value] of attributes) {
    yield* qualifiedNameErrors(name, childPath(path, 'attributes'));
    yield* attributeErrors(value, entryPath(path, 'attributes', name));
  }
  for (const [name, value] of capacities) {
    yield* qualifiedNameErrors(name, childPath(path, 'capacity'));
    yield* capacityErrors(value, entryPath(path, 'capacity', name), device.allowMultipleAllocations === true);
  }
  if (options.hasNewTaints) {
    yield* listErrors(device.taints, childPath(path, 'taints'), maxTaints, (item, at) =>
      isJsonObject(item) ? taintErrors(item, at) : [],
    );
  }
  yield* setErrors(device.consumesCounters, childPath(path, 'consumesCounters'), {
    max: maxConsumed,
    keyOf: (item) => textOf(isJsonObject(item) ? item.counterSet : undefined),
    errorsOf: (item, at) => (isJsonObject(item) ? counterSetErrors(item, at, 'counterSet') : []),
  });
  yield* nodeErrors(device, path, options.selectsNodes);
  yield* bindingConditionErrors(device, path);
}

/** Returns the path of an entry of a map. Kubernetes shortens a long key by removing its middle. */
function entryPath(path: string, member: string, key: string): string {
  const left = maxKeyLength - 3;
  const isLong = key.length > maxKeyLength;
  const shown = isLong ? `${key.slice(0, (left + 1) >> 1)}...${key.slice(key.length - (left >> 1))}` : key;
  return keyPath(childPath(path, member), shown);
}

function* attributeErrors(value: JsonValue, path: string): Generator<FieldError> {
  const attribute = isJsonObject(value) ? value : {};
  if (typeof attribute.string === 'string' && attribute.string.length > maxValueLength) {
    yield tooLong(childPath(path, 'string'), maxValueLength);
  }
  if (typeof attribute.version === 'string') {
    const at = childPath(path, 'version');
    if (!version.test(attribute.version)) {
      yield invalid(at, attribute.version, 'must be a string compatible with semver.org spec 2.0.0');
    }
    if (attribute.version.length > maxValueLength) yield tooLong(at, maxValueLength);
  }
  const count = Object.keys(attribute).length;
  const detail = 'exactly one value must be specified';
  if (count === 0) yield invalid(path, '', detail);
  else if (count > 1) yield invalidStruct(path, attribute, detail);
}

function* capacityErrors(value: JsonValue, path: string, isShared: boolean): Generator<FieldError> {
  const capacity = isJsonObject(value) ? value : {};
  const at = childPath(path, 'requestPolicy');
  if (!isJsonObject(capacity.requestPolicy)) return;
  if (isShared) yield* capacityPolicyErrors(textOf(capacity.value), capacity.requestPolicy, at);
  else yield forbiddenField(at, 'allowMultipleAllocations must be true');
}

function* taintErrors(taint: JsonObject, path: string): Generator<FieldError> {
  const [key, value, effect] = [textOf(taint.key), textOf(taint.value), textOf(taint.effect)];
  yield* faultErrors(childPath(path, 'key'), key, qualifiedNameFaults(key));
  if (value !== '') yield* faultErrors(childPath(path, 'value'), value, labelValueFaults(value));
  const at = childPath(path, 'effect');
  if (effect === '') yield required(at);
  else if (!taintEffects.includes(effect)) yield notSupported(at, effect, taintEffects);
}

function* nodeErrors(device: JsonObject, path: string, selectsNodes: boolean): Generator<FieldError> {
  const { nodeName, nodeSelector, allNodes } = device;
  if (!selectsNodes) {
    if (nodeName === undefined && nodeSelector === undefined && allNodes === undefined) return;
    const detail =
      '`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec';
    yield invalid(path, null, detail);
    return;
  }
  const set: string[] = [];
  if (nodeName === '') yield invalid(childPath(path, 'nodeName'), '', 'must not be empty');
  else if (typeof nodeName === 'string') {
    set.push('`nodeName`');
    yield* faultErrors(childPath(path, 'nodeName'), nodeName, subdomainFaults(nodeName));
  }
  if (isJsonObject(nodeSelector)) {
    set.push('`nodeSelector`');
    yield* nodeSelectorErrors(nodeSelector, childPath(path, 'nodeSelector'));
  }
  if (allNodes === true) set.push('`allNodes`');
  else if (allNodes === false) {
    yield invalid(childPath(path, 'allNodes'), false, 'must be either unset or set to true');
  }
  const detail =
    'exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec';
  if (set.length === 0) yield required(path, detail);
  else if (set.length > 1) yield invalid(path, `{${set.join(', ')}}`, detail);
}
