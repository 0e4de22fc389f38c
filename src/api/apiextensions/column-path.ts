import type { JsonValue } from '@flotilla/json';
import { WorkMeter } from '@flotilla/work-meter';
import { type ParsedPath, parseColumnPath } from './parse-column-path.ts';
import { firstValue, memberAt, PathCursor, PathEvaluation } from './path-cursor.ts';

/** The result of a path whose evaluation exceeds the limit of its meter. */
export const overLimit = Symbol('over limit');

/**
 * Returns the first value that the JSONPath of a printer column selects in an object, because Kubernetes prints only
 * the first one. `undefined` if there is no value. Without a meter, the work is not limited.
 */
export type ColumnPath = (root: JsonValue, meter?: WorkMeter) => JsonValue | undefined | typeof overLimit;

/**
 * The maximum number of member names in a path whose evaluation is not charged to the meter. Nearly all columns have
 * such a path.
 */
const maxFreeNames = 32;

/**
 * Compiles a JSONPath in Kubernetes' dialect, such as `.status.conditions[?(@.type=="Ready")].status`. `undefined` if
 * the path is invalid.
 */
export function compileColumnPath(text: string): ColumnPath | undefined {
  const path = parseColumnPath(text);
  if (path === undefined) return undefined;
  const { names } = path;
  if (names !== undefined && names.length <= maxFreeNames) return (root) => memberAt(root, names);
  return (root, meter = unlimited()) => {
    const evaluation = new PathEvaluation(root, meter);
    const value = firstValue(path, root, evaluation);
    return evaluation.isOverLimit ? overLimit : value;
  };
}

/** Compiles a JSONPath to a function that returns all selected values, in order. `undefined` if the path is invalid. */
export function compileColumnPathValues(text: string): ((root: JsonValue) => readonly JsonValue[]) | undefined {
  const path = parseColumnPath(text);
  return path && ((root) => allValues(path, root));
}

function allValues(path: ParsedPath, root: JsonValue): readonly JsonValue[] {
  const cursor = new PathCursor(path, root, new PathEvaluation(root, unlimited()), false);
  const values: JsonValue[] = [];
  for (let value = cursor.next(); value !== undefined; value = cursor.next()) values.push(value);
  return values;
}

function unlimited(): WorkMeter {
  return new WorkMeter('evaluating a JSONPath', Number.POSITIVE_INFINITY);
}
