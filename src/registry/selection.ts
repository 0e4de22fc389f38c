import type { KubeObject } from '../api/meta.ts';
import { requiredValue } from '../api/selectors/field-selector.ts';
import { checkFields, selects } from '../api/selectors/select.ts';
import type { CachedObject } from './cached-object.ts';
import type { RequestContext } from './context.ts';
import type { KindRuntime } from './kind-runtime.ts';
import { comparePlaces, type Place } from './object-index.ts';
import type { ListOptions } from './verbs.ts';

/** Which objects a list or watch shows: those of its namespace that the selectors match and the caller may read. */
export interface Selection {
  /** Undefined: all namespaces. */
  readonly namespace: string | undefined;
  /** The one name that can match, where a field selector says so. */
  readonly name: string | undefined;
  /** Every object of the namespace is shown; only then may the rest be counted (LIST-23). */
  readonly everything: boolean;
  shows(object: KubeObject): boolean;
}

export function selectionOf(kind: KindRuntime, context: RequestContext, options: ListOptions): Selection {
  const { fieldSelector } = options;
  const labelSelector = options.labelSelector?.empty === true ? undefined : options.labelSelector;
  const { mayRead } = context;
  if (fieldSelector !== undefined) checkFields(kind.resource, fieldSelector);
  const byField = fieldSelector !== undefined && fieldSelector.requirements.length > 0;
  const ofPath = kind.resource.namespaced ? context.namespace || undefined : '';
  return {
    namespace: ofPath ?? requiredValue(fieldSelector, 'metadata.namespace'),
    name: requiredValue(fieldSelector, 'metadata.name'),
    everything: labelSelector === undefined && !byField && mayRead === undefined,
    shows: (object) => selects(object, labelSelector, fieldSelector) && (mayRead === undefined || mayRead(object)),
  };
}

/** What has to be looked at, in order: as a rule everything of the namespace, but a name leads straight there. */
export function candidates(kind: KindRuntime, selection: Selection, after?: Place): Iterable<CachedObject> {
  const { namespace, name } = selection;
  if (namespace === undefined || name === undefined) return kind.cache.iterate(namespace, after);
  const found = kind.cache.get(namespace, name);
  return found === undefined || (after !== undefined && comparePlaces(found, after) <= 0) ? [] : [found];
}
