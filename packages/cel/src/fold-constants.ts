import { evaluate } from './evaluate.ts';
import type { Call, Expression } from './expression.ts';
import { Meter } from './meter.ts';
import type { CelValue } from './value.ts';

/** Functions that convert a value to another type. Calls with constant arguments are evaluated at compile time. */
const CONVERSIONS = new Set([
  'bool',
  'int',
  'uint',
  'double',
  'string',
  'bytes',
  'timestamp',
  'duration',
  'type',
  'dyn',
]);

/**
 * Evaluates constants at compile time, as Kubernetes does: lists and maps of literals, and conversions of literals.
 * Throws EvaluationError if a conversion fails, because it would also fail for every object.
 */
export function foldConstants(expression: Expression): void {
  switch (expression.kind) {
    case 'constant':
    case 'identifier':
      return;
    case 'select':
      if (expression.folded === undefined) foldConstants(expression.operand);
      return;
    case 'call':
      foldCall(expression);
      return;
    case 'list':
      for (const one of expression.elements) foldConstants(one);
      if (expression.elements.every(isConstant)) expression.folded = constantValue(expression);
      return;
    case 'map':
      for (const one of expression.entries.flat()) foldConstants(one);
      if (expression.entries.flat().every(isConstant)) expression.folded = constantValue(expression);
      return;
    case 'message':
      for (const { value } of expression.fields) foldConstants(value);
      return;
    case 'comprehension':
      foldConstants(expression.range);
      foldConstants(expression.initial);
      foldConstants(expression.condition);
      foldConstants(expression.step);
      foldConstants(expression.result);
  }
}

function foldCall(expression: Call): void {
  if (expression.target !== undefined && expression.qualified !== true) foldConstants(expression.target);
  for (const one of expression.args) foldConstants(one);
  const isConversion = expression.target === undefined && CONVERSIONS.has(expression.name);
  const isMembership = expression.name === '@in' && expression.args[1]?.kind === 'list';
  if ((isConversion || isMembership) && expression.args.every(isConstant))
    expression.folded = constantValue(expression);
}

function isConstant(expression: Expression): boolean {
  return expression.kind === 'constant' || expression.folded !== undefined;
}

function constantValue(expression: Expression): CelValue {
  return evaluate(expression, () => undefined, { meter: new Meter() });
}
