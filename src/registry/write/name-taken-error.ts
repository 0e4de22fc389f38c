import type { CachedObject } from '../cache/cached-object.ts';

/**
 * Thrown if an object of the same name exists. The caller responds with 409, tries another name, or updates the object.
 */
export class NameTakenError extends Error {
  readonly holder: CachedObject;

  constructor(holder: CachedObject) {
    super();
    this.holder = holder;
  }
}
