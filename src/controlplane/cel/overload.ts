import type { CelType } from './cel-type.ts';
import type { Evaluation } from './evaluation.ts';
import type { CelValue } from './value.ts';

/** One signature of a function. A method's first parameter is what it is called on. */
export interface Overload {
  readonly name: string;
  /** As Kubernetes' CEL names it; costs are told apart by it. */
  readonly id: string;
  readonly method: boolean;
  readonly parameters: readonly CelType[];
  readonly result: CelType;
  /** Gets as many values as there are parameters, each of its parameter's kind. Throws EvaluationError. */
  call(args: readonly CelValue[], evaluation: Evaluation): CelValue;
}

/**
 * Implementations say what kinds they take (`([text]: readonly [string])`); that they get those is what matching
 * arguments against the signature ensures, at check time or, where types are dynamic, at run time.
 */
export function overload<Args extends readonly CelValue[]>(
  name: string,
  id: string,
  parameters: readonly CelType[],
  result: CelType,
  call: (args: Args, evaluation: Evaluation) => CelValue,
): Overload {
  return { name, id, method: false, parameters, result, call: call as unknown as Overload['call'] };
}

export function method<Args extends readonly CelValue[]>(
  name: string,
  id: string,
  parameters: readonly CelType[],
  result: CelType,
  call: (args: Args, evaluation: Evaluation) => CelValue,
): Overload {
  return { name, id, method: true, parameters, result, call: call as unknown as Overload['call'] };
}
