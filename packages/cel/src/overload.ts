import type { CelType } from './cel-type.ts';
import type { Evaluation } from './evaluation.ts';
import type { CelValue } from './value.ts';

/** One signature of a function. The first parameter of a method is its target. */
export interface Overload {
  readonly name: string;
  /** The id in Kubernetes' CEL; costs depend on it. */
  readonly id: string;
  readonly method: boolean;
  readonly parameters: readonly CelType[];
  readonly result: CelType;
  /** Takes one value per parameter, each of the parameter's type. Throws EvaluationError. */
  call(args: readonly CelValue[], evaluation: Evaluation): CelValue;
}

/** The types that a function takes and returns. */
export type Signature = Pick<Overload, 'parameters' | 'result'>;

export function signature(parameters: readonly CelType[], result: CelType): Signature {
  return { parameters, result };
}

/**
 * Implementations declare the types that they take (`([text]: readonly [string])`). Matching the arguments against the
 * signature ensures these types, at check time or, for dynamic types, at run time.
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
