import type { JsonObject } from '@flotilla/json';
import { qualifiedNameFaults } from '@flotilla/kubernetes-formats';
import { type FieldError, forbiddenField, invalid } from '../../../../api/field-error.ts';
import { childPath, indexPath } from '../../../../api/schema/field-path.ts';
import { itemsAt, listOf, objectAt, textOf } from '../checks.ts';
import { faultErrors } from '../field-rules.ts';
import { structAt } from './pod-context.ts';

function textsAt(term: JsonObject, name: string): string[] {
  return listOf(term[name]).map(textOf);
}

/** Validates `matchLabelKeys` and `mismatchLabelKeys`, which Kubernetes adds to the label selector of a pod. */
export function* matchLabelKeyErrors(term: JsonObject, path: string): Generator<FieldError> {
  const selector = structAt(term, 'labelSelector');
  for (const name of ['matchLabelKeys', 'mismatchLabelKeys']) {
    const keys = textsAt(term, name);
    const at = childPath(path, name);
    if (keys.length > 0 && selector === undefined) {
      yield forbiddenField(at, 'must not be specified when labelSelector is not set');
      continue;
    }
    for (const [index, key] of keys.entries()) yield* faultErrors(indexPath(at, index), key, qualifiedNameFaults(key));
  }
  const keys = textsAt(term, 'matchLabelKeys');
  if (selector !== undefined) yield* repeatedKeyErrors(selector, keys, path);
  const mismatched = new Set(textsAt(term, 'mismatchLabelKeys'));
  for (const [index, key] of keys.entries()) {
    if (!mismatched.has(key)) continue;
    const detail = 'exists in both matchLabelKeys and mismatchLabelKeys';
    yield invalid(indexPath(childPath(path, 'matchLabelKeys'), index), key, detail);
  }
}

/**
 * Refuses an expression whose key already has an expression in the selector. The expression that Kubernetes itself adds
 * for the key is allowed.
 */
function* repeatedKeyErrors(selector: JsonObject, keys: readonly string[], path: string): Generator<FieldError> {
  const indexes = new Map(keys.map((key, index) => [key, index]));
  const known = new Set(Object.keys(objectAt(selector, 'matchLabels')));
  for (const [expression] of itemsAt(selector, 'matchExpressions', '')) {
    const key = textOf(expression.key);
    const index = indexes.get(key);
    if (index !== undefined && known.has(key)) {
      yield invalid(indexPath(path, index), key, 'exists in both matchLabelKeys and labelSelector');
    }
    known.add(key);
  }
}
