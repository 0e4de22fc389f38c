import type { Store, Write } from '../../store/store.ts';
import { StoreError } from '../../store/store-error.ts';
import { dependentsRange, ownersMarkerKey, ownersRange } from '../rows/rows.ts';
import { withStatusErrors } from '../store-status.ts';
import type { RequiredCheck } from './required-check.ts';

/** The checks and writes for the marker row that a write of an object with owners adds to its transaction. */
export interface MarkerRows {
  readonly checks: readonly RequiredCheck[];
  readonly writes: readonly Write[];
}

const noMarkerRows: MarkerRows = { checks: [], writes: [] };

/** The consequences of removing an object, with regard to objects that name it as their owner. */
export interface RemovedOwner {
  /** True if the garbage collector must look for dependents of the object. */
  readonly mayHaveDependents: boolean;
  readonly checks: readonly RequiredCheck[];
}

/**
 * Tracks whether any object of a plane has an owner reference. Most planes have none, so removing an object needs no
 * query for dependents. Each loaded plane has one tracker, which all writes to the plane must notify.
 *
 * If other processes write to the store, they may add the first owner reference at any time. The write that adds it
 * also creates a marker row. A removal that relies on the absence of owners checks in its transaction that the marker
 * row does not exist. If the marker row exists, a removal does not query for dependents, because a dependent could be
 * added after the query. The garbage collector queries for dependents after the removal.
 */
export class OwnerTracker {
  /** True if the marker row exists, false if it did not exist when it was last read. Used only in a shared store. */
  #hasAny: boolean | undefined;

  /**
   * True if it is known that no object of the plane has an owner reference. In a shared store, a transaction that
   * relies on this must check it again.
   */
  get hasNoOwners(): boolean {
    return this.#hasAny === false;
  }

  /** Records that an object has an owner reference. Must be called before this object is written. */
  async markOwned(store: Store, slice: string): Promise<MarkerRows> {
    if (!store.isShared) this.#hasAny = true;
    if (this.#hasAny === true) return noMarkerRows;
    const key = ownersMarkerKey(slice);
    if ((await withStatusErrors(store.get(key))) !== undefined) {
      this.#hasAny = true;
      return noMarkerRows;
    }
    this.#hasAny = undefined;
    return { checks: [{ key, revision: undefined }], writes: [{ key, value: '' }] };
  }

  /** Returns the consequences of removing the object with this uid. */
  async removed(store: Store, slice: string, uid: string): Promise<RemovedOwner> {
    if (!store.isShared) return { mayHaveDependents: await this.#hasDependents(store, slice, uid), checks: [] };
    this.#hasAny ??= await hasMarker(store, slice);
    if (this.#hasAny) return { mayHaveDependents: true, checks: [] };
    const onFailure = () => {
      this.#hasAny = undefined;
      return undefined;
    };
    return { mayHaveDependents: false, checks: [{ key: ownersMarkerKey(slice), revision: undefined, onFailure }] };
  }

  /**
   * True if an object names the object with this uid as its owner. A dependent that is written at the same time is not
   * missed, because its own write requests a check by the garbage collector.
   */
  async #hasDependents(store: Store, slice: string, uid: string): Promise<boolean> {
    if (this.#hasAny === undefined) {
      const any = await hasOwners(store, slice);
      // `markOwned` may have been called during the query. The value that it has set must not be overwritten.
      this.#hasAny ??= any;
    }
    if (!this.#hasAny) return false;
    const found = await withStatusErrors(store.list(dependentsRange(slice, uid), { limit: 1, skipCount: true }));
    return found.entries.length > 0;
  }
}

async function hasOwners(store: Store, slice: string): Promise<boolean> {
  const any = await withStatusErrors(store.list(ownersRange(slice), { limit: 1, skipCount: true }));
  return any.entries.length > 0;
}

/**
 * True if the marker row exists. Creates the marker row for a plane whose rows were imported from a store without
 * marker rows.
 */
async function hasMarker(store: Store, slice: string): Promise<boolean> {
  const key = ownersMarkerKey(slice);
  if ((await withStatusErrors(store.get(key))) !== undefined) return true;
  if (!(await hasOwners(store, slice))) return false;
  try {
    await store.transact({ checks: [{ key, revision: undefined }], writes: [{ key, value: '' }] });
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'CheckFailed') await withStatusErrors(Promise.reject(error));
  }
  return true;
}
