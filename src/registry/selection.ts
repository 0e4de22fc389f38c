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
  /** The only names that can match, where the caller can read few. */
  readonly names: (() => Iterable<string>) | undefined;
  /** Every object of the namespace is shown; only then may the rest be counted (LIST-23). */
  readonly everything: boolean;
  /** Selections of one kind with the same text show the same. Undefined: this one is not to be compared. */
  text(): string | undefined;
  shows(object: KubeObject): boolean;
  /** The same of an object that need not be decoded for it. */
  matches(candidate: CachedObject): boolean;
  /** How much of the candidate's text `matches` has to look at, in characters. */
  effort(candidate: CachedObject): number;
}

export function selectionOf(kind: KindRuntime, context: RequestContext, options: ListOptions): Selection {
  const { fieldSelector } = options;
  const labelSelector = options.labelSelector?.empty === true ? undefined : options.labelSelector;
  const { mayRead } = context;
  if (fieldSelector !== undefined) checkFields(kind.resource, fieldSelector);
  const byField = fieldSelector !== undefined && fieldSelector.requirements.length > 0;
  const ofPath = kind.resource.namespaced ? context.namespace || undefined : '';
  const namespace = ofPath ?? requiredValue(fieldSelector, 'metadata.namespace');
  const looksInside = byField || mayRead !== undefined;
  const isComparable = mayRead === undefined && (labelSelector === undefined || labelSelector.text !== undefined);
  return {
    namespace,
    name: requiredValue(fieldSelector, 'metadata.name'),
    names: context.names,
    everything: labelSelector === undefined && !byField && mayRead === undefined,
    text: () =>
      isComparable ? JSON.stringify([namespace, labelSelector?.text, fieldSelector?.requirements]) : undefined,
    shows: (object) => selects(object, labelSelector, fieldSelector) && (mayRead === undefined || mayRead(object)),
    matches(candidate) {
      if (labelSelector !== undefined && !labelSelector.matches(candidate.labels)) return false;
      if (!looksInside) return true;
      const object = candidate.glance();
      return selects(object, undefined, fieldSelector) && (mayRead === undefined || mayRead(object));
    },
    effort: (candidate) =>
      (looksInside ? candidate.size : candidate.labelsKnown ? 0 : candidate.size / 8) + leastEffort,
  };
}

/** What it takes to look at labels that are known, compared with reading a text. */
const leastEffort = 32;

/**
 * What has to be looked at, in order, as it is this moment: as a rule everything of the namespace, but a name leads
 * straight there. `limit` bounds how many of them; they may all be refused.
 */
export function candidates(kind: KindRuntime, selection: Selection, after?: Place, limit?: number): CachedObject[] {
  const { namespace, name, names } = selection;
  if (namespace === undefined) return kind.cache.take(namespace, after, limit);
  if (name !== undefined) return named(kind, namespace, [name], after);
  return names === undefined ? kind.cache.take(namespace, after, limit) : named(kind, namespace, names(), after);
}

function named(kind: KindRuntime, namespace: string, names: Iterable<string>, after?: Place): CachedObject[] {
  const found = [...new Set(names)].map((name) => kind.cache.get(namespace, name));
  return found
    .filter((object) => object !== undefined)
    .filter((object) => after === undefined || comparePlaces(object, after) > 0)
    .sort(comparePlaces);
}
