import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  listAt,
  objectAt,
  parseJson,
  textAt,
  textsAt,
} from '@flotilla/json';
import { byteLength } from '@flotilla/kubernetes-formats';
import { duplicate, type FieldError, forbiddenField, invalid, required } from '../../../../api/field-error.ts';
import type { KubeObject } from '../../../../api/meta.ts';
import { indexPath } from '../../../../api/schema/field-path.ts';
import { listOf, numberOf, textOf } from '../checks.ts';
import { duplicateStruct } from '../field-rules.ts';
import { isIpv4 } from '../ip-rules.ts';
import { parseIpRange, rangeErrors, rangeWarnings } from '../range-rules.ts';
import { resourceAmountErrors } from '../resource-checks.ts';
import { taintErrors } from './taint-rules.ts';

const taintAnnotation = 'scheduler.alpha.kubernetes.io/taints';
const avoidAnnotation = 'scheduler.alpha.kubernetes.io/preferAvoidPods';
const annotationsPath = 'metadata.annotations';
/** Kubernetes reports the errors of taints under this path. */
const taintsPath = 'metadata.taints';
const featurePattern = /^[A-Z][a-zA-Z0-9]*(\/[a-zA-Z][a-zA-Z0-9]*)*$/;
const maxFeatureLength = 253;

/**
 * Returns the errors of a new node. For updates, Kubernetes reports these errors a second time (`nodeUpdateErrors`).
 */
export function* nodeErrors(object: KubeObject): Generator<FieldError> {
  const node = object as JsonValue;
  yield* annotationErrors(object);
  yield* taintErrors(listAt(node, 'spec', 'taints'), taintsPath);
  yield* amountErrors(node);
  const swap = objectAt(node, 'status', 'nodeInfo', 'swap')?.capacity ?? undefined;
  if (swap !== undefined && numberOf(swap) <= 0) {
    yield invalid('metadata.nodeSwapStatus.capacity', swap, 'must be greater than zero');
  }
  yield* featureErrors(textsAt(node, 'status', 'declaredFeatures'));
  yield* rangesErrors(textsAt(node, 'spec', 'podCIDRs'));
}

function* annotationErrors({ metadata }: KubeObject): Generator<FieldError> {
  const { annotations = {} } = metadata;
  const taints = annotations[taintAnnotation] ?? '';
  if (taints !== '') {
    const parsed = parsedJson(taints);
    if (Array.isArray(parsed)) yield* taintErrors(parsed, `${annotationsPath}.${taintAnnotation}`);
    else yield invalid(annotationsPath, taintAnnotation, 'the annotation must be a JSON list');
  }
  const avoided = annotations[avoidAnnotation] ?? '';
  if (avoided === '') return;
  const parsed = parsedJson(avoided);
  if (isJsonObject(parsed)) yield* avoidedPodErrors(parsed);
  else yield invalid(`${annotationsPath}.AvoidPods`, avoidAnnotation, 'the annotation must be a JSON object');
}

function parsedJson(text: string): JsonValue | undefined {
  try {
    return parseJson(text).value;
  } catch {
    return undefined;
  }
}

function* avoidedPodErrors(avoided: JsonObject): Generator<FieldError> {
  for (const [index, entry] of listOf(avoided.preferAvoidPods).entries()) {
    const path = `${indexPath(`${annotationsPath}.${avoidAnnotation}`, index)}.PodSignature`;
    const controller = objectAt(entry, 'podSignature', 'podController');
    if (controller === undefined) yield required(path);
    else if (controller.controller !== true) {
      yield invalid(`${path}.PodController.Controller`, false, 'must point to a controller');
    }
  }
}

function* amountErrors(node: JsonValue): Generator<FieldError> {
  for (const member of ['capacity', 'allocatable']) {
    for (const [name, amount] of Object.entries(objectAt(node, 'status', member) ?? {})) {
      yield* resourceAmountErrors(name, String(amount), `status.${member}.${name}`);
    }
  }
}

function* featureErrors(features: readonly string[]): Generator<FieldError> {
  const path = 'status.declaredFeatures';
  for (const [index, feature] of features.entries()) {
    const fault = featureFault(feature);
    if (fault !== undefined) yield invalid(indexPath(path, index), feature, fault);
    const next = features[index + 1];
    if (next === undefined) continue;
    if (feature === next) yield duplicate(indexPath(path, index + 1), next);
    else if (feature > next) yield invalid(indexPath(path, index + 1), next, 'list must be sorted alphabetically');
  }
}

function featureFault(feature: string): string | undefined {
  const start = `invalid feature name ${JSON.stringify(feature)}: must`;
  if (byteLength(feature) > maxFeatureLength) return `${start} be no more than ${maxFeatureLength} characters`;
  if (featurePattern.test(feature)) return undefined;
  return `${start} start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes`;
}

function* rangesErrors(ranges: readonly string[]): Generator<FieldError> {
  const path = 'spec.podCIDRs';
  for (const [index, range] of ranges.entries()) yield* rangeErrors(indexPath(path, index), range);
  if (ranges.length < 2) return;
  const wrong = ranges.findIndex((range) => parseIpRange(range) === undefined);
  if (wrong !== -1) {
    const cause = `invalid CIDR[${wrong}]: <nil> (invalid CIDR address: ${ranges[wrong]})`;
    const message = `Internal error: invalid PodCIDRs. failed to check with dual stack with error:${cause}`;
    yield { type: 'InternalError', field: path, message };
  }
  const families = new Set(ranges.map((range) => isIpv4(range.slice(0, range.indexOf('/')))));
  if (families.size === 2 && ranges.length === 2) return;
  yield invalid(path, [...ranges], 'may specify no more than one CIDR for each IP family');
}

/** Returns the errors of a change of a node or of its status. */
export function* nodeUpdateErrors(object: KubeObject, old: KubeObject): Generator<FieldError> {
  const [node, stored] = [object as JsonValue, old as JsonValue];
  yield* annotationErrors(object);
  yield* amountErrors(node);
  yield* featureErrors(textsAt(node, 'status', 'declaredFeatures'));
  yield* repeatedAddressErrors(node);
  yield* changedRangeErrors(textsAt(node, 'spec', 'podCIDRs'), textsAt(stored, 'spec', 'podCIDRs'));
  const provider = textAt(stored, 'spec', 'providerID');
  if (provider !== '' && provider !== textAt(node, 'spec', 'providerID')) {
    yield forbiddenField('spec.providerID', 'node updates may not change providerID except from "" to valid');
  }
  yield* taintErrors(listAt(node, 'spec', 'taints'), taintsPath);
  if (textAt(node, 'spec', 'externalID') !== textAt(stored, 'spec', 'externalID')) {
    yield forbiddenField('spec.externalID', 'may not be updated');
  }
}

function* repeatedAddressErrors(node: JsonValue): Generator<FieldError> {
  const known = new Set<string>();
  for (const [index, item] of listAt(node, 'status', 'addresses').entries()) {
    const printed = { Type: textAt(item, 'type'), Address: textAt(item, 'address') };
    const key = JSON.stringify(printed);
    if (known.has(key)) yield duplicateStruct(indexPath('status.addresses', index), printed);
    known.add(key);
  }
}

function* changedRangeErrors(ranges: readonly string[], old: readonly string[]): Generator<FieldError> {
  if (old.length === 0) return;
  const error = forbiddenField('spec.podCIDRs', 'node updates may not change podCIDR except from "" to valid');
  if (old.length !== ranges.length) yield error;
  else for (const [index, range] of old.entries()) if (range !== ranges[index]) yield error;
}

export function nodeWarnings(object: KubeObject): string[] {
  const spec = objectAt(object as JsonValue, 'spec');
  const hasId = textOf(spec?.externalID) !== '';
  return [
    ...(hasId ? ['spec.externalID: this field is deprecated, and is unused by Kubernetes'] : []),
    ...textsAt(spec, 'podCIDRs').flatMap((range, index) => rangeWarnings(indexPath('spec.podCIDRs', index), range)),
  ];
}
