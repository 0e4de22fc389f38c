import type { CelType } from './cel-type.ts';
import type { Overload } from './overload.ts';
import type { CelValue } from './value.ts';

/** A parsed expression with expanded macros. `at` is the offset in the text that messages refer to. */
export type Expression = Constant | Identifier | Select | Call | ListLiteral | MapLiteral | Comprehension;

interface Node {
  readonly at: number;
  /** Set by the type check. */
  type?: CelType;
  /** The value, if it is known before evaluation: literals, names of types. It then costs nothing. */
  folded?: CelValue;
}

export interface Constant extends Node {
  readonly kind: 'constant';
  readonly value: CelValue;
}

export interface Identifier extends Node {
  readonly kind: 'identifier';
  readonly name: string;
}

export interface Select extends Node {
  readonly kind: 'select';
  readonly operand: Expression;
  readonly field: string;
  /** `has(a.b)`: a test for presence. */
  readonly test: boolean;
  /** Set by the type check if the whole expression is the name of a variable (`authorizer.requestResource`). */
  variable?: string;
}

/** Functions, methods (`target`) and operators, whose names are `_+_`, `_[_]`, `_?._` and so on. */
export interface Call extends Node {
  readonly kind: 'call';
  readonly name: string;
  readonly target?: Expression;
  readonly args: readonly Expression[];
  /** Set by the type check: the overloads that fit; more than one if the types are only known at run time. */
  overloads?: readonly Overload[];
  /** Set by the type check if the target is not a value but the first part of the name (`optional.of`). */
  qualified?: boolean;
}

export interface ListLiteral extends Node {
  readonly kind: 'list';
  readonly elements: readonly Expression[];
}

export interface MapLiteral extends Node {
  readonly kind: 'map';
  readonly entries: readonly (readonly [Expression, Expression])[];
}

/**
 * A loop over a list or the keys of a map: `accumulator` starts as `initial` and becomes `step` for each element, as
 * long as `condition` holds; then the value is `result`. With an empty range it only binds `accumulator` for `result`.
 */
export interface Comprehension extends Node {
  readonly kind: 'comprehension';
  readonly range: Expression;
  readonly variable: string;
  /** If it is set, `variable` is the index or key, and this is the element or value. */
  readonly second?: string;
  readonly accumulator: string;
  readonly initial: Expression;
  readonly condition: Expression;
  readonly step: Expression;
  readonly result: Expression;
}

/** The name of a macro's accumulator; no expression text can contain it. */
export const ACCUMULATOR = '@result';
