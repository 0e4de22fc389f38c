import type { Quantity } from '@flotilla/kubernetes-formats';
import type { KindStore } from '../../../registry/kind-store.ts';
import { peekWithoutManagedFields, type ServedObject } from '../../../registry/verbs.ts';
import { maxQuotas } from './quota-limits.ts';
import type { ScopeSelector } from './quota-scopes.ts';
import { type MeasuredObject, measure, usageWithin } from './quota-usage.ts';

/** A sum of quantities, and for each format the number of quantities in the sum. */
interface Total {
  billionths: bigint;
  readonly formats: Record<Quantity['format'], number>;
}

/** The sums, by quota name, over the objects in a namespace that a selector selects. */
interface SelectedTotals {
  readonly selector: ScopeSelector;
  readonly totals: Map<string, Total>;
}

interface FollowedKind {
  readonly store: KindStore;
  readonly stop: () => void;
  /** The sums by namespace and by the key of the selector. */
  readonly namespaces: Map<string, Map<string, SelectedTotals>>;
}

/**
 * The maximum number of selectors in a namespace. It is enough for all existing quotas, plus as many deleted quotas.
 */
const maxSelectors = 2 * maxQuotas;

/**
 * The total amounts that all stored objects of measured kinds use. Each change of an object updates the totals, because
 * a namespace has too many objects to add up their amounts for each write. The totals for a selector in a namespace are
 * kept from their first read until the namespace has no objects of the kind.
 */
export class UsageTotals {
  readonly #followed = new Map<string, FollowedKind>();

  /**
   * Returns the sums in a namespace for quotas with this selector. `resource` is the resource key of the kind in
   * `store`.
   */
  totalsOf(resource: string, store: KindStore, namespace: string, selector: ScopeSelector): (name: string) => Quantity {
    const { namespaces } = this.#follow(resource, store);
    const selected =
      namespaces.get(namespace)?.get(selector.key) ?? addSelector(namespaces, store, namespace, selector);
    return (name) => {
      const total = selected.totals.get(name);
      return total === undefined ? { billionths: 0n, format: 'DecimalSI' } : { ...total, format: formatOf(total) };
    };
  }

  stop(): void {
    for (const { stop } of this.#followed.values()) stop();
    this.#followed.clear();
  }

  #follow(resource: string, store: KindStore): FollowedKind {
    const known = this.#followed.get(resource);
    if (known?.store === store) return known;
    known?.stop();
    const namespaces: FollowedKind['namespaces'] = new Map();
    const stop = store.listen(({ before, after }) => {
      const { namespace = '' } = (after ?? before)?.object.metadata ?? {};
      const selectors = namespaces.get(namespace);
      if (selectors === undefined) return;
      const [old, next] = [measured(store, before), measured(store, after)];
      for (const selected of selectors.values()) {
        add(selected, old, -1);
        add(selected, next, 1);
      }
      if (store.count(namespace) === 0) namespaces.delete(namespace);
    });
    const followed = { store, stop, namespaces };
    this.#followed.set(resource, followed);
    return followed;
  }
}

function addSelector(
  namespaces: FollowedKind['namespaces'],
  store: KindStore,
  namespace: string,
  selector: ScopeSelector,
): SelectedTotals {
  const selected: SelectedTotals = { selector, totals: new Map() };
  const objects = store.peekAll(namespace);
  for (const served of objects) add(selected, measured(store, served), 1);
  if (objects.length === 0) return selected;
  const selectors: Map<string, SelectedTotals> = namespaces.get(namespace) ?? new Map();
  const [oldest] = selectors.keys();
  if (oldest !== undefined && selectors.size >= maxSelectors) selectors.delete(oldest);
  namespaces.set(namespace, selectors.set(selector.key, selected));
  return selected;
}

function measured(store: KindStore, served: ServedObject | undefined): MeasuredObject | undefined {
  return served === undefined ? undefined : measure(store.resource, peekWithoutManagedFields(served));
}

function add({ selector, totals }: SelectedTotals, object: MeasuredObject | undefined, sign: 1 | -1): void {
  for (const [name, { billionths, format }] of usageWithin(selector, object)) {
    const total = totals.get(name) ?? { billionths: 0n, formats: { BinarySI: 0, DecimalSI: 0, DecimalExponent: 0 } };
    total.billionths += sign === 1 ? billionths : -billionths;
    total.formats[format] += sign;
    if (total.billionths === 0n) totals.delete(name);
    else totals.set(name, total);
  }
}

/** Returns the format in which a sum is printed: one of the formats of its quantities. */
function formatOf({ formats }: Total): Quantity['format'] {
  if (formats.BinarySI > 0) return 'BinarySI';
  return formats.DecimalSI > 0 ? 'DecimalSI' : 'DecimalExponent';
}
