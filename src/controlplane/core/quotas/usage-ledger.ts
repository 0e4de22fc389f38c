import { type Quantity, quantityOfCount } from '@flotilla/kubernetes-formats';
import type { KubeObject } from '../../../api/meta.ts';
import type { KindStore } from '../../../registry/kind-store.ts';
import type { KindStores } from '../../../registry/kind-stores.ts';
import type { Usage } from './measured-kind.ts';
import { measuredKind } from './measured-kinds.ts';
import { type ScopeSelector, scopeSelectorOf } from './quota-scopes.ts';
import { addedUsage, type MeasuredObject, measure, usageWithin } from './quota-usage.ts';
import { UsageTotals } from './usage-totals.ts';

/** The usage of an object whose write was admitted, but which is not stored yet. */
interface Reservation {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly measured: MeasuredObject;
}

/** The usage of the objects in the watch caches, plus the usage of the admitted objects that are not stored yet. */
export class UsageLedger {
  readonly #kinds: () => KindStores;
  readonly #reserved = new Set<Reservation>();
  readonly #totals = new UsageTotals();
  /**
   * The measured properties of stored objects that have a reservation. Cached because each quota of the namespace reads
   * them.
   */
  readonly #measured = new WeakMap<KubeObject, MeasuredObject>();

  constructor(kinds: () => KindStores) {
    this.#kinds = kinds;
  }

  /** Adds a reservation. Returns a function that removes the reservation. */
  reserve(reservation: Reservation): () => void {
    this.#reserved.add(reservation);
    return () => this.#reserved.delete(reservation);
  }

  stop(): void {
    this.#totals.stop();
  }

  /** Returns a function that maps a quota name to the usage, within the quota, by objects of a kind. */
  usedWithin(quota: KubeObject, resource: string): (name: string) => Quantity {
    const { namespace = '' } = quota.metadata;
    const selector = scopeSelectorOf(quota);
    const store = this.#kinds().get(resource);
    const stored = this.#stored(resource, store, namespace, selector);
    const pending = [...this.#reserved]
      .filter((one) => one.resource === resource && one.namespace === namespace)
      .map((one) => this.#pending(one, store, selector));
    return (name) => {
      let { billionths, format } = stored(name);
      for (const usage of pending) {
        const more = usage.get(name);
        if (more === undefined) continue;
        if (billionths === 0n) format = more.format;
        billionths += more.billionths;
      }
      return { billionths, format };
    };
  }

  #stored(
    resource: string,
    store: KindStore | undefined,
    namespace: string,
    selector: ScopeSelector,
  ): (name: string) => Quantity {
    if (store !== undefined && measuredKind(resource) !== undefined) {
      return this.#totals.totalsOf(resource, store, namespace, selector);
    }
    const count = store === undefined || selector.key !== '' ? 0 : store.count(namespace);
    return () => quantityOfCount(count);
  }

  /** Returns the reserved usage that is not part of the stored object yet. */
  #pending(
    { namespace, name, uid, measured }: Reservation,
    store: KindStore | undefined,
    selector: ScopeSelector,
  ): Usage {
    const present = store?.peek(namespace, name)?.object;
    const isStored = store !== undefined && present !== undefined && present.metadata.uid === uid;
    const known = isStored ? this.#measuredPart(store, present) : undefined;
    return addedUsage(usageWithin(selector, known), usageWithin(selector, measured));
  }

  #measuredPart(store: KindStore, object: KubeObject): MeasuredObject {
    const part = this.#measured.get(object) ?? measure(store.resource, object);
    this.#measured.set(object, part);
    return part;
  }
}
