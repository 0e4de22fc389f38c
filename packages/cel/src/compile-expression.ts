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
 * The number of characters that compile in about ten milliseconds; after that, compilation yields to other requests.
 */
export const CHARACTERS_PER_SLICE = 10_000;

/** An expression that parses and type-checks. */
export interface Program {
  readonly type: CelType;
  readonly expression: Expression;
  /** The variables that it uses. */
  readonly usedVariables: ReadonlySet<string>;
  /** Throws EvaluationError, and CostExceeded if the meter of the evaluation reaches its limit. */
  run(bindings: Bindings, evaluation: Evaluation): CelValue;
}

/** The reason why there is no program: all issues, line by line, as Kubernetes prints them. */
export interface CompileError {
  readonly fault: string;
  /** The types are valid, but the evaluation fails for every object: a literal that cannot be converted. */
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
    // A literal that exceeds its range.
    if (error instanceof EvaluationError) return [{ at: expression.at, message: error.message }];
    throw error;
  }
}
