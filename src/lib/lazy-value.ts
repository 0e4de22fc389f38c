export interface LazyValue<T> {
  get(): T;
  /** The value if it was created already, for cleanup. */
  readonly created: T | undefined;
}

/** Creates a value on first use and keeps it. */
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
