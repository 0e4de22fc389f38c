import type { CelType } from './cel-type.ts';
import type { Evaluation } from './evaluation.ts';
import type { CelValue } from './value.ts';

/** One signature of a CEL function, with its implementation. The first parameter of a method is its target. */
export interface Overload {
  readonly name: string;
  /** The overload ID in Kubernetes' CEL library. The cost of a call depends on it. */
  readonly id: string;
  readonly method: boolean;
  readonly parameters: readonly CelType[];
  readonly result: CelType;
  /** Runs the function. The arguments must have the types of `parameters`. May throw EvaluationError. */
  call(args: readonly CelValue[], evaluation: Evaluation): CelValue;
}

/** The parameter types and the result type of a function. */
export type Signature = Pick<Overload, 'parameters' | 'result'>;

export function signature(parameters: readonly CelType[], result: CelType): Signature {
  return { parameters, result };
}

/**
 * Declares a function. The implementation declares the types of its arguments (`([text]: readonly [string])`).
 * Arguments are checked against the signature at check time or, for dynamic types, at run time.
 */
export function overload<Args extends readonly CelValue[]>(
  name: string,
  id: string,
  { parameters, result }: Signature,
  call: (args: Args, evaluation: Evaluation) => CelValue,
): Overload {
  return { name, id, method: false, parameters, result, call: call as unknown as Overload['call'] };
}

export function method<Args extends readonly CelValue[]>(
  name: string,
  id: string,
  { parameters, result }: Signature,
  call: (args: Args, evaluation: Evaluation) => CelValue,
): Overload {
  return { name, id, method: true, parameters, result, call: call as unknown as Overload['call'] };
}
