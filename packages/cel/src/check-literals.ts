import { compileUnits, PatternError } from '@flotilla/regex';
import { sameType } from './assign.ts';
import { type CelType, DYN, describeType } from './cel-type.ts';
import { childrenOf } from './children-of.ts';
import type { Call, Expression } from './expression.ts';
import type { Issue } from './issues.ts';
import { FORMAT_VERBS, formatVerbs } from './library/format-text.ts';
import { parseDuration, parseTimestamp } from './library/go-time.ts';
import { compileCached } from './library/regular-expressions.ts';
import { EvaluationError, Meter } from './meter.ts';

/**
 * Checks the literals of an expression: durations, timestamps, patterns, formats, and the elements of lists and maps.
 * An invalid literal would make the evaluation fail for every object. Calls `charge` before it compiles a pattern. Throws
 * CostExceeded if the patterns are too large.
 */
export function checkLiterals(expression: Expression, charge: (units: number) => void): Issue[] {
  const issues: Issue[] = [];
  const meter = new Meter();
  const chargeBoth = (units: number): void => {
    meter.work(units);
    charge(units);
  };
  visit(expression, (one) => {
    if (one.kind === 'list') issues.push(...mixedTypeIssues(one.elements));
    if (one.kind === 'map') {
      issues.push(...mixedTypeIssues(one.entries.map(([key]) => key)));
      issues.push(...mixedTypeIssues(one.entries.map(([, value]) => value)));
    }
    if (one.kind !== 'call') return;
    issues.push(...formatIssues(one));
    const last = one.args.at(-1);
    if (last?.kind !== 'constant' || typeof last.value !== 'string') return;
    if (!isValid(one.name, last.value, chargeBoth))
      issues.push({ at: last.at, message: `invalid ${one.name} argument` });
  });
  return issues;
}

function isValid(name: string, text: string, charge: (units: number) => void): boolean {
  switch (name) {
    case 'duration':
      return parseDuration(text) !== undefined;
    case 'timestamp':
      return parseTimestamp(text) !== undefined;
    case 'matches':
      return isPattern(text, charge);
    default:
      return true;
  }
}

/** Checks a call of `format` on a literal: the number and the types of the values must match the verbs in the text. */
function formatIssues({ name, target, args: [values] }: Call): Issue[] {
  if (name !== 'format' || target?.kind !== 'constant' || values?.kind !== 'list') return [];
  let verbs: string[];
  try {
    verbs = formatVerbs(String(target.value));
  } catch (error) {
    if (error instanceof EvaluationError) return [{ at: values.at - 1, message: error.message }];
    throw error;
  }
  const given = values.elements.length;
  if (given < verbs.length) return [{ at: values.at - 1, message: `index ${given} out of range` }];
  const most = `too many arguments supplied to string.format (expected ${verbs.length}, got ${given})`;
  if (given > verbs.length) return [{ at: values.at - 1, message: most }];
  return values.elements.flatMap((element, index) => {
    const { message, types } = FORMAT_VERBS.get(verbs[index] as string) ?? { message: '', types: [] };
    const type = typeName(element.type ?? DYN);
    const fits = type === 'dyn' || types.includes(type);
    return fits ? [] : [{ at: element.at, message: `error during formatting: ${message}, was given ${type}` }];
  });
}

function typeName(type: CelType): string {
  if (type.kind === 'object') return 'map';
  if (type.kind === 'parameter') return 'dyn';
  return type.kind === 'opaque' ? type.name : type.kind;
}

function isPattern(text: string, charge: (units: number) => void): boolean {
  try {
    // Charge the same work whether or not the pattern is cached, so that the result does not depend on the cache.
    charge(compileUnits(text));
    compileCached(text, () => {});
    return true;
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    return false;
  }
}

/**
 * Returns an issue if the elements of a literal list do not all have the same type. For example, a dynamic element and
 * an int have different types.
 */
function mixedTypeIssues([first, ...rest]: readonly Expression[]): Issue[] {
  if (first?.type === undefined) return [];
  const wanted = first.type;
  const different = rest.find(({ type }) => type !== undefined && !sameType(wanted, type));
  if (different?.type === undefined) return [];
  return [
    {
      at: different.at,
      message: `expected type '${describeType(wanted)}' but found '${describeType(different.type)}'`,
    },
  ];
}

/** Visits an expression and all of its subexpressions, except the list argument of `format`, which may mix types. */
function visit(expression: Expression, visitor: (one: Expression) => void): void {
  visitor(expression);
  const isFormat = expression.kind === 'call' && expression.name === 'format';
  for (const child of childrenOf(expression)) {
    if (isFormat && child.kind === 'list') for (const inner of child.elements) visit(inner, visitor);
    else visit(child, visitor);
  }
}
