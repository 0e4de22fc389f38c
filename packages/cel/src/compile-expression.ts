import type { CelType } from './cel-type.ts';
import { checkExpression } from './check.ts';
import { checkLiterals } from './check-literals.ts';
import type { Environment } from './environment.ts';
import { type Bindings, evaluate } from './evaluate.ts';
import type { Evaluation } from './evaluation.ts';
import type { Expression } from './expression.ts';
import { foldConstants } from './fold-constants.ts';
import { describeIssues, SyntaxIssue } from './issues.ts';
import { CostExceeded, EvaluationError } from './meter.ts';
import type { Parse } from './parse.ts';
import type { CelValue } from './value.ts';

/**
 * The number of expression characters to compile before yielding to other requests. Compiling them takes about ten
 * milliseconds.
 */
export const CHARACTERS_PER_SLICE = 10_000;

/** A CEL expression that was parsed and type-checked without errors. */
export interface Program {
  readonly type: CelType;
  readonly expression: Expression;
  /** The names of the variables that the expression uses. */
  readonly usedVariables: ReadonlySet<string>;
  /** Evaluates the expression. Throws EvaluationError, and CostExceeded if the cost reaches the limit of the meter. */
  run(bindings: Bindings, evaluation: Evaluation): CelValue;
}

/** The errors of an expression that does not compile: all issues, one after the other, as Kubernetes prints them. */
export interface CompileError {
  readonly fault: string;
  /** True if all types are valid but a literal cannot be converted, so the evaluation would fail for every object. */
  readonly failsAlways?: true;
}

export function compileExpression(parse: Parse, text: string, environment: Environment): Program | CompileError {
  let expression: Expression;
  try {
    expression = parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxIssue)) throw error;
    return { fault: describeIssues(text, [{ at: error.at, message: error.message }]) };
  }
  const checked = checkExpression(expression, environment);
  const issues = checked.issues.length > 0 ? checked.issues : literalIssues(expression);
  if (issues.length > 0) return { fault: describeIssues(text, issues) };
  try {
    foldConstants(expression);
  } catch (error) {
    if (error instanceof EvaluationError || error instanceof CostExceeded)
      return { fault: error.message, failsAlways: true };
    throw error;
  }
  return {
    type: checked.type,
    expression,
    usedVariables: checked.usedVariables,
    run: (bindings, evaluation) => evaluate(expression, bindings, evaluation),
  };
}

function literalIssues(expression: Expression): ReturnType<typeof checkLiterals> {
  try {
    return checkLiterals(expression);
  } catch (error) {
    // A literal is outside the range of its type.
    if (error instanceof EvaluationError) return [{ at: expression.at, message: error.message }];
    throw error;
  }
}
