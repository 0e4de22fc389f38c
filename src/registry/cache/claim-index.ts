import type { StoredResource } from '../resource.ts';
import type { CachedObject } from './cached-object.ts';

/**
 * An index of the objects of a kind by their claims (see `StoredResource.claims`). The index is filled on first use,
 * because the claims of most kinds are only checked in the store.
 */
export class ClaimIndex {
  readonly #claimsOf: StoredResource['claims'];
  #holders: Map<string, CachedObject> | undefined;

  constructor(claimsOf: StoredResource['claims']) {
    this.#claimsOf = claimsOf;
  }

  /** Returns the object that holds a claim. `objects` are all objects of the kind. */
  find(claim: string, objects: Iterable<CachedObject>): CachedObject | undefined {
    if (this.#holders === undefined) {
      this.#holders = new Map();
      for (const object of objects) this.add(object);
    }
    return this.#holders.get(claim);
  }

  add(object: CachedObject): void {
    if (this.#holders === undefined || this.#claimsOf === undefined) return;
    for (const claim of this.#claimsOf(object.record)) this.#holders.set(claim, object);
  }

  delete(object: CachedObject): void {
    if (this.#holders === undefined || this.#claimsOf === undefined) return;
    for (const claim of this.#claimsOf(object.record)) {
      if (this.#holders.get(claim) === object) this.#holders.delete(claim);
    }
  }
}
