import type { CelType } from './cel-type.ts';
import type { MessageField } from './message-literals.ts';
import type { Overload } from './overload.ts';
import type { CelValue } from './value.ts';

/** A parsed expression whose macros are expanded. `at` is the offset in the source text, for error messages. */
export type Expression =
  | Constant
  | Identifier
  | Select
  | Call
  | ListLiteral
  | MapLiteral
  | MessageExpression
  | Comprehension;

interface Node {
  readonly at: number;
  /** The type of the expression. Set by the type check. */
  type?: CelType;
  /** The value of a literal or a type name, which is known before the evaluation. Reading it costs nothing. */
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
  /** True for `has(a.b)`, which tests whether the field is present. */
  readonly test: boolean;
  /** The variable's full name, if it contains dots (`authorizer.requestResource`). Set by the type check. */
  variable?: string;
}

/**
 * A call of a function, of a method (on `target`), or of an operator, whose name is `_+_`, `_[_]`, `_?._` and so on.
 */
export interface Call extends Node {
  readonly kind: 'call';
  readonly name: string;
  readonly target?: Expression;
  readonly args: readonly Expression[];
  /** The overloads that fit the argument types. More than one if some types are known only at run time. */
  overloads?: readonly Overload[];
  /** True if `target` is not a value but a namespace in the function's name (`optional.of`). Set by the type check. */
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

/** The construction of an object of a named type: `Object.spec{replicas: 3}`. */
export interface MessageExpression extends Node {
  readonly kind: 'message';
  readonly typeName: string;
  readonly fields: readonly (MessageField & { readonly value: Expression })[];
}

/**
 * A loop over the elements of a list or the keys of a map. `accumulator` starts with the value `initial`. For each
 * element, `accumulator` is set to the value of `step`, until `condition` is false. The value of the loop is `result`.
 * Some macros loop over an empty list, only to define the variable `accumulator` for `result`.
 */
export interface Comprehension extends Node {
  readonly kind: 'comprehension';
  readonly range: Expression;
  readonly variable: string;
  /** A second loop variable for the element or map value. If set, `variable` is the index or key. */
  readonly second?: string;
  readonly accumulator: string;
  readonly initial: Expression;
  readonly condition: Expression;
  readonly step: Expression;
  readonly result: Expression;
}

/** The name of the accumulator that macros use. Source text cannot contain it, because `@` is not allowed in names. */
export const ACCUMULATOR = '@result';
