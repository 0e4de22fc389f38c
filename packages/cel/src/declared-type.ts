import type { CelType } from './cel-type.ts';

/** The declared type of a value and the bounds of its size, for type checks and cost estimates. */
export interface DeclaredType {
  readonly type: CelType;
  /** The maximum number of elements or characters; 0 for values that have neither, as Kubernetes counts. */
  readonly maxElements: number;
  /** The minimum number of bytes of a value in JSON. */
  readonly minSize: number;
  readonly fields?: ReadonlyMap<string, DeclaredType>;
  /** The type of a list's items or a map's values. */
  readonly element?: DeclaredType;
  readonly key?: DeclaredType;
}
