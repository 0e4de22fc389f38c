export interface Once<T> {
  get(): T;
  /** What there is already, for whoever has to put it away. */
  readonly made: T | undefined;
}

/** Made when it is first needed, and then kept. */
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
