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
 * The amount of compile work, in characters, after which the compiler yields to other requests. This work takes about
 * ten milliseconds, or up to a hundred with large patterns.
 */
export const WORK_PER_SLICE = 10_000;

/**
 * The maximum compile work for all expressions of one object, in characters. This work takes about 250 milliseconds. An
 * object with many rules has some ten thousand characters of expressions.
 */
export const MAX_COMPILE_WORK = 250_000;

/** Returns the message for an object whose expressions exceed MAX_COMPILE_WORK. */
export function tooMuchToCompile(expressions: string): string {
  return `the ${expressions} take too long to compile: together they may have ${MAX_COMPILE_WORK} characters, and patterns with large repetitions count as more`;
}

/**
 * The number of work units of pattern compilation that count as one character of an expression. Compiling that many
 * units takes as long as compiling one character.
 */
const UNITS_PER_CHARACTER = 100;

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

/**
 * Parses and checks an expression. Calls `charge` with the work of compiling the expression's patterns, in characters.
 * The caller must add the length of the expression to that work.
 */
export function compileExpression(
  parse: Parse,
  text: string,
  environment: Environment,
  charge: (characters: number) => void = () => {},
): Program | CompileError {
  let expression: Expression;
  try {
    expression = parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxIssue)) throw error;
    return { fault: describeIssues(text, [{ at: error.at, message: error.message }]) };
  }
  const checked = checkExpression(expression, environment);
  const issues = checked.issues.length > 0 ? checked.issues : literalIssues(expression, charge);
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

function literalIssues(expression: Expression, charge: (characters: number) => void): ReturnType<typeof checkLiterals> {
  try {
    return checkLiterals(expression, (units) => charge(units / UNITS_PER_CHARACTER));
  } catch (error) {
    // Report a literal outside the range of its type, or patterns that take too long to compile.
    if (error instanceof EvaluationError || error instanceof CostExceeded)
      return [{ at: expression.at, message: error.message }];
    throw error;
  }
}
