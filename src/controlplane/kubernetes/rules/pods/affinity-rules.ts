import type { JsonObject } from '@flotilla/json';
import { labelFaults, qualifiedNameFaults } from '@flotilla/kubernetes-formats';
import { type FieldError, invalid, required } from '../../../../api/field-error.ts';
import { childPath } from '../../../../api/schema/field-path.ts';
import { labelSelectorErrors } from '../../../../api/selectors/selector-object.ts';
import { itemsAt, listOf, numberOf, objectAt, textOf } from '../checks.ts';
import { faultErrors } from '../field-rules.ts';
import { nodeSelectorErrors, nodeTermErrors } from '../volumes/node-selector-rules.ts';
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
    // Kubernetes accepts invalid label values here: a preference for such a value has no effect, because no node has
    // the value.
    yield* nodeTermErrors(objectAt(term, 'preference'), childPath(at, 'preference'), () => []);
  }
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
