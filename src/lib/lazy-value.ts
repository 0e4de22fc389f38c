export interface LazyValue<T> {
  get(): T;
  /**
   * The value; `undefined` if `get` was never called. The owner can therefore close the value only if it was created.
   */
  readonly created: T | undefined;
}

/** Creates a value on the first call of `get`. Later calls return the same value. */
export function lazyValue<T extends object>(make: () => T): LazyValue<T> {
  let made: T | undefined;
  return {
    get() {
      made ??= make();
      return made;
    },
    get created() {
      return made;
    },
  };
}
