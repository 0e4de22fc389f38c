import { requiredFieldValue } from '../../api/selectors/field-selector.ts';
import { checkSelectorFields, matchesSelectors } from '../../api/selectors/select.ts';
import type { CachedObject } from '../cache/cached-object.ts';
import { compareObjectKeys, type ObjectKey } from '../cache/object-index.ts';
import type { RequestContext } from '../context.ts';
import type { KindRuntime } from '../kind-runtime.ts';
import type { ListOptions } from '../verbs.ts';
import type { ObjectSelection } from './object-selection.ts';

export function createSelection(kind: KindRuntime, context: RequestContext, options: ListOptions): ObjectSelection {
  const { fieldSelector } = options;
  const labelSelector = options.labelSelector?.empty === true ? undefined : options.labelSelector;
  const { mayRead } = context;
  if (fieldSelector !== undefined) checkSelectorFields(kind.resource, fieldSelector);
  const byField = fieldSelector !== undefined && fieldSelector.requirements.length > 0;
  const pathNamespace = kind.resource.namespaced ? context.namespace || undefined : '';
  const namespace = pathNamespace ?? requiredFieldValue(fieldSelector, 'metadata.namespace');
  const needsDecoding = byField || mayRead !== undefined;
  // The length of the selectors counts too, because a selector is compared with each object and may be longer than most
  // objects.
  const selectorCost = minCost + (labelSelector?.text?.length ?? 0) + 32 * (fieldSelector?.requirements.length ?? 0);
  const isComparable = mayRead === undefined && (labelSelector === undefined || labelSelector.text !== undefined);
  return {
    namespace,
    name: requiredFieldValue(fieldSelector, 'metadata.name'),
    names: context.readableNames,
    matchesAll: labelSelector === undefined && !byField && mayRead === undefined,
    groupKey: () =>
      isComparable ? JSON.stringify([namespace, labelSelector?.text, fieldSelector?.requirements]) : undefined,
    matchesDecoded: (candidate) =>
      matchesSelectors(candidate.object, labelSelector, fieldSelector) &&
      (mayRead === undefined || mayRead(candidate.object, candidate.hidden)),
    matches(candidate) {
      if (labelSelector !== undefined && !labelSelector.matches(candidate.labels)) return false;
      if (!needsDecoding) return true;
      const object = candidate.peekWithoutManagedFields();
      return (
        matchesSelectors(object, undefined, fieldSelector) &&
        (mayRead === undefined || mayRead(object, candidate.hidden))
      );
    },
    cost: (candidate) =>
      (needsDecoding ? candidate.size : candidate.labelsKnown ? 0 : candidate.size / 8) + selectorCost,
  };
}

/**
 * The minimum of `ObjectSelection.cost`, in characters. The length of the selectors and of the data that must be
 * decoded is added to it.
 */
const minCost = 32;

/**
 * Returns the objects that the selection may match, in list order. If the selection has a namespace and requires
 * certain names, the result contains the objects with those names. Otherwise it contains the first `limit` objects of
 * the namespace, or of all namespaces. The caller must check whether each object matches.
 */
export function candidateObjects(
  kind: KindRuntime,
  selection: ObjectSelection,
  after?: ObjectKey,
  limit?: number,
): CachedObject[] {
  const { namespace, name, names } = selection;
  if (namespace === undefined) return kind.cache.take(namespace, after, limit);
  if (name !== undefined) return objectsByName(kind, namespace, [name], after);
  return names === undefined
    ? kind.cache.take(namespace, after, limit)
    : objectsByName(kind, namespace, names(), after);
}

function objectsByName(
  kind: KindRuntime,
  namespace: string,
  names: Iterable<string>,
  after?: ObjectKey,
): CachedObject[] {
  const found = [...new Set(names)].map((name) => kind.cache.get(namespace, name));
  return found
    .filter((object) => object !== undefined)
    .filter((object) => after === undefined || compareObjectKeys(object, after) > 0)
    .sort(compareObjectKeys);
}
