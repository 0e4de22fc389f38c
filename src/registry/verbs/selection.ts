import type { KubeObject } from '../../api/meta.ts';
import { requiredValue } from '../../api/selectors/field-selector.ts';
import { checkFields, selects } from '../../api/selectors/select.ts';
import type { CachedObject } from '../cache/cached-object.ts';
import { compareObjectKeys, type ObjectKey } from '../cache/object-index.ts';
import type { RequestContext } from '../context.ts';
import type { KindRuntime } from '../kind-runtime.ts';
import type { ListOptions } from '../verbs.ts';

/**
 * The objects that a list or watch returns: those of its namespace that match the selectors and that the caller may
 * read.
 */
export interface Selection {
  /** `undefined` for all namespaces. */
  readonly namespace: string | undefined;
  /** The only name that can match, if a field selector requires one. */
  readonly name: string | undefined;
  /** The only names that can match, if the caller can read few objects. */
  readonly names: (() => Iterable<string>) | undefined;
  /** True if every object of the namespace matches; only then may the remaining items be counted (LIST-23). */
  readonly matchesAll: boolean;
  /** Identifies selections of a kind that match the same objects. `undefined` if this one cannot be shared. */
  groupKey(): string | undefined;
  matchesObject(object: KubeObject): boolean;
  /** The same for a cached object, which is decoded only if necessary. */
  matches(candidate: CachedObject): boolean;
  /** The cost of `matches` for the candidate, in characters of text to scan. */
  cost(candidate: CachedObject): number;
}

export function selectionOf(kind: KindRuntime, context: RequestContext, options: ListOptions): Selection {
  const { fieldSelector } = options;
  const labelSelector = options.labelSelector?.empty === true ? undefined : options.labelSelector;
  const { mayRead } = context;
  if (fieldSelector !== undefined) checkFields(kind.resource, fieldSelector);
  const byField = fieldSelector !== undefined && fieldSelector.requirements.length > 0;
  const pathNamespace = kind.resource.namespaced ? context.namespace || undefined : '';
  const namespace = pathNamespace ?? requiredValue(fieldSelector, 'metadata.namespace');
  const needsDecoding = byField || mayRead !== undefined;
  const isComparable = mayRead === undefined && (labelSelector === undefined || labelSelector.text !== undefined);
  return {
    namespace,
    name: requiredValue(fieldSelector, 'metadata.name'),
    names: context.readableNames,
    matchesAll: labelSelector === undefined && !byField && mayRead === undefined,
    groupKey: () =>
      isComparable ? JSON.stringify([namespace, labelSelector?.text, fieldSelector?.requirements]) : undefined,
    matchesObject: (object) =>
      selects(object, labelSelector, fieldSelector) && (mayRead === undefined || mayRead(object)),
    matches(candidate) {
      if (labelSelector !== undefined && !labelSelector.matches(candidate.labels)) return false;
      if (!needsDecoding) return true;
      const object = candidate.peekWithoutManagedFields();
      return selects(object, undefined, fieldSelector) && (mayRead === undefined || mayRead(object));
    },
    cost: (candidate) => (needsDecoding ? candidate.size : candidate.labelsKnown ? 0 : candidate.size / 8) + minCost,
  };
}

/** The cost of checking known labels, relative to scanning text. */
const minCost = 32;

/**
 * Returns a snapshot of the objects to check, in order: usually all objects of the namespace, or the ones whose names
 * the selection requires. `limit` is the maximum number of candidates; not all of them need to match.
 */
export function candidates(kind: KindRuntime, selection: Selection, after?: ObjectKey, limit?: number): CachedObject[] {
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
