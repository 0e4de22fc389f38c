import type { CelType } from './cel-type.ts';

/** The CEL type and the size limits that are declared for a value. Used for type checks and cost estimates. */
export interface DeclaredType {
  readonly type: CelType;
  /** The maximum number of elements or characters. As in Kubernetes, 0 for values that have neither. */
  readonly maxElements: number;
  /** The minimum size of a value in JSON, in bytes. */
  readonly minSize: number;
  readonly fields?: ReadonlyMap<string, DeclaredType>;
  /** The type of all fields that are not in `fields`. Absent if it is unknown. */
  readonly otherFields?: DeclaredType;
  /** The type of the items of a list or of the values of a map. */
  readonly element?: DeclaredType;
  readonly key?: DeclaredType;
}
