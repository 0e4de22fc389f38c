import type { RootKeys } from './root-keys.ts';

export interface EitherRootKeysOptions {
  /** The root keys that encrypt. */
  readonly current: RootKeys;
  /** The root keys that only decrypt. They allow an installation to move from these root keys to the current ones. */
  readonly former: RootKeys;
  /** True if the root key with this ID is one of `current`. */
  isCurrent(id: string): boolean;
}

/** Combines the root keys of two places: one place encrypts, and both decrypt. */
export function eitherRootKeys({ current, former, isCurrent }: EitherRootKeysOptions): RootKeys {
  return {
    place: current.place,
    mayChange: current.mayChange,
    currentId: () => current.currentId(),
    wrap: (purpose, clear) => current.wrap(purpose, clear),
    unwrap: (purpose, wrapped) => (isCurrent(wrapped.root) ? current : former).unwrap(purpose, wrapped),
    ...(current.ids === undefined ? {} : { ids: current.ids }),
    close() {
      current.close();
      former.close();
    },
  };
}
