export interface Once<T> {
  get(): T;
  /** The value if it was created already, for cleanup. */
  readonly made: T | undefined;
}

/** Creates a value on first use and keeps it. */
export function once<T extends object>(make: () => T): Once<T> {
  let made: T | undefined;
  return {
    get() {
      made ??= make();
      return made;
    },
    get made() {
      return made;
    },
  };
}
