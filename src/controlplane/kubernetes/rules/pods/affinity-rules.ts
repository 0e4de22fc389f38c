import type { JsonObject } from '@flotilla/json';
import { labelFaults, labelValueFaults, qualifiedNameFaults, subdomainFaults } from '@flotilla/kubernetes-formats';
import { type FieldError, forbiddenField, invalid, required } from '../../../../api/field-error.ts';
import { childPath, indexPath } from '../../../../api/schema/field-path.ts';
import { labelSelectorErrors } from '../../../../api/selectors/selector-object.ts';
import { itemsAt, listOf, numberOf, objectAt, textOf } from '../checks.ts';
import { faultErrors } from '../field-rules.ts';
import { matchLabelKeyErrors } from './match-label-key-rules.ts';
import { type PodContext, structAt } from './pod-context.ts';

const requiredTerms = 'requiredDuringSchedulingIgnoredDuringExecution';
const preferredTerms = 'preferredDuringSchedulingIgnoredDuringExecution';

/** Validates the affinity of a pod to nodes and to other pods. */
export function* affinityErrors({ spec, path }: PodContext): Generator<FieldError> {
  const affinity = structAt(spec, 'affinity') ?? {};
  const at = childPath(path, 'affinity');
  const toNodes = structAt(affinity, 'nodeAffinity');
  if (toNodes !== undefined) yield* nodeAffinityErrors(toNodes, childPath(at, 'nodeAffinity'));
  for (const name of ['podAffinity', 'podAntiAffinity']) {
    const toPods = structAt(affinity, name);
    if (toPods !== undefined) yield* podAffinityErrors(toPods, childPath(at, name));
  }
}

function* weightErrors(term: JsonObject, path: string): Generator<FieldError> {
  const weight = numberOf(term.weight);
  if (weight <= 0 || weight > 100) yield invalid(childPath(path, 'weight'), weight, 'must be in the range 1-100');
}

function* nodeAffinityErrors(affinity: JsonObject, path: string): Generator<FieldError> {
  const selector = structAt(affinity, requiredTerms);
  if (selector !== undefined) yield* nodeSelectorErrors(selector, childPath(path, requiredTerms));
  for (const [term, at] of itemsAt(affinity, preferredTerms, path)) {
    yield* weightErrors(term, at);
    // Kubernetes accepts invalid label values here: a preference for them has no effect, because no node has them.
    yield* nodeTermErrors(objectAt(term, 'preference'), childPath(at, 'preference'), () => []);
  }
}

function* nodeSelectorErrors(selector: JsonObject, path: string): Generator<FieldError> {
  const terms = itemsAt(selector, 'nodeSelectorTerms', path);
  if (terms.length === 0) {
    yield required(childPath(path, 'nodeSelectorTerms'), 'must have at least one node selector term');
  }
  for (const [term, at] of terms) yield* nodeTermErrors(term, at, labelValueFaults);
}

type ValueFaults = (value: string) => readonly string[];

function* nodeTermErrors(term: JsonObject, path: string, valueFaults: ValueFaults): Generator<FieldError> {
  for (const [requirement, at] of itemsAt(term, 'matchExpressions', path)) {
    yield* operatorErrors(requirement, at);
    const key = textOf(requirement.key);
    yield* faultErrors(childPath(at, 'key'), key, qualifiedNameFaults(key));
    yield* valueErrors(requirement, at, valueFaults);
  }
  for (const [requirement, at] of itemsAt(term, 'matchFields', path)) yield* nodeFieldErrors(requirement, at);
}

function* operatorErrors(requirement: JsonObject, path: string): Generator<FieldError> {
  const operator = textOf(requirement.operator);
  const count = listOf(requirement.values).length;
  const at = childPath(path, 'values');
  if (operator === 'In' || operator === 'NotIn') {
    if (count === 0) yield required(at, "must be specified when `operator` is 'In' or 'NotIn'");
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (count > 0) yield forbiddenField(at, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
  } else if (operator === 'Gt' || operator === 'Lt') {
    if (count !== 1) yield required(at, "must be specified single value when `operator` is 'Lt' or 'Gt'");
  } else yield invalid(childPath(path, 'operator'), operator, 'not a valid selector operator');
}

function* valueErrors(requirement: JsonObject, path: string, faultsOf: ValueFaults): Generator<FieldError> {
  for (const [index, value] of listOf(requirement.values).entries()) {
    const text = textOf(value);
    yield* faultErrors(indexPath(childPath(path, 'values'), index), text, faultsOf(text));
  }
}

/** Validates a requirement for a field of a node. Only its name can be matched. */
function* nodeFieldErrors(requirement: JsonObject, path: string): Generator<FieldError> {
  const [key, operator] = [textOf(requirement.key), textOf(requirement.operator)];
  if (operator !== 'In' && operator !== 'NotIn') {
    yield invalid(childPath(path, 'operator'), operator, 'not a valid selector operator');
  } else if (listOf(requirement.values).length !== 1) {
    const detail = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
    yield required(childPath(path, 'values'), detail);
  }
  if (key !== 'metadata.name') yield invalid(childPath(path, 'key'), key, 'not a valid field selector key');
  else yield* valueErrors(requirement, path, subdomainFaults);
}

function* podAffinityErrors(affinity: JsonObject, path: string): Generator<FieldError> {
  for (const [term, at] of itemsAt(affinity, requiredTerms, path)) yield* podTermErrors(term, at);
  for (const [term, at] of itemsAt(affinity, preferredTerms, path)) {
    yield* weightErrors(term, at);
    yield* podTermErrors(objectAt(term, 'podAffinityTerm'), childPath(at, 'podAffinityTerm'));
  }
}

function* podTermErrors(term: JsonObject, path: string): Generator<FieldError> {
  for (const name of ['labelSelector', 'namespaceSelector']) {
    yield* labelSelectorErrors(term[name] ?? undefined, childPath(path, name));
  }
  for (const namespace of listOf(term.namespaces)) {
    const text = textOf(namespace);
    yield* faultErrors(childPath(path, 'namespace'), text, labelFaults(text));
  }
  yield* matchLabelKeyErrors(term, path);
  const key = textOf(term.topologyKey);
  const at = childPath(path, 'topologyKey');
  if (key === '') yield required(at, 'can not be empty');
  yield* faultErrors(at, key, qualifiedNameFaults(key));
}
