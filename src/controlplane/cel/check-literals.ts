import { sameType } from './assign.ts';
import { type CelType, DYN, describeType } from './cel-type.ts';
import { childrenOf } from './children-of.ts';
import type { Call, Expression } from './expression.ts';
import type { Issue } from './issues.ts';
import { FORMAT_VERBS, formatVerbs } from './library/format-text.ts';
import { parseDuration, parseTimestamp } from './library/go-time.ts';
import { compilePattern } from './library/regular-expressions.ts';
import { EvaluationError } from './meter.ts';

/** Durations, moments and patterns that stand in the text and are none would fail with every object: better now. */
export function checkLiterals(expression: Expression): Issue[] {
  const issues: Issue[] = [];
  visit(expression, (one) => {
    if (one.kind === 'list') issues.push(...mixedElements(one.elements));
    if (one.kind === 'map') {
      issues.push(...mixedElements(one.entries.map(([key]) => key)));
      issues.push(...mixedElements(one.entries.map(([, value]) => value)));
    }
    if (one.kind !== 'call') return;
    issues.push(...wrongFormat(one));
    const last = one.args.at(-1);
    if (last?.kind !== 'constant' || typeof last.value !== 'string') return;
    if (!isRight(one.name, last.value)) issues.push({ at: last.at, message: `invalid ${one.name} argument` });
  });
  return issues;
}

function isRight(name: string, text: string): boolean {
  switch (name) {
    case 'duration':
      return parseDuration(text) !== undefined;
    case 'timestamp':
      return parseTimestamp(text) !== undefined;
    case 'matches':
      return isPattern(text);
    default:
      return true;
  }
}

/** A format and its values that are both written down: as many as there are verbs, and of types that these take. */
function wrongFormat({ name, target, args: [values] }: Call): Issue[] {
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
    const { words, types } = FORMAT_VERBS.get(verbs[index] as string) ?? { words: '', types: [] };
    const type = typeName(element.type ?? DYN);
    const fits = type === 'dyn' || types.includes(type);
    return fits ? [] : [{ at: element.at, message: `error during formatting: ${words}, was given ${type}` }];
  });
}

function typeName(type: CelType): string {
  if (type.kind === 'object') return 'map';
  if (type.kind === 'parameter') return 'dyn';
  return type.kind === 'opaque' ? type.name : type.kind;
}

function isPattern(text: string): boolean {
  try {
    compilePattern(text);
    return true;
  } catch {
    return false;
  }
}

/** What is in a list that is written down is of one type; dynamic is a type of its own there. */
function mixedElements([first, ...rest]: readonly Expression[]): Issue[] {
  if (first?.type === undefined) return [];
  const wanted = first.type;
  const odd = rest.find(({ type }) => type !== undefined && !sameType(wanted, type));
  if (odd?.type === undefined) return [];
  return [{ at: odd.at, message: `expected type '${describeType(wanted)}' but found '${describeType(odd.type)}'` }];
}

/** `format` takes a list of anything, which is looked at by itself. */
function visit(expression: Expression, look: (one: Expression) => void): void {
  look(expression);
  const isFormat = expression.kind === 'call' && expression.name === 'format';
  for (const child of childrenOf(expression)) {
    if (isFormat && child.kind === 'list') for (const inner of child.elements) visit(inner, look);
    else visit(child, look);
  }
}
