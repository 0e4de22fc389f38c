import { equalJson, getMember, isJsonObject, type JsonValue } from '@flotilla/json';
import { type PathFilter, type PathStep, parseColumnPath } from './parse-column-path.ts';

/** Returns the first value that the JSONPath of a printer column selects in an object. `undefined` if there is none. */
export type ColumnPath = (root: JsonValue) => JsonValue | undefined;

/**
 * Compiles a JSONPath in Kubernetes' dialect, such as `.status.conditions[?(@.type=="Ready")].status`. `undefined` if
 * the path is invalid.
 */
export function compileColumnPath(text: string): ColumnPath | undefined {
  const steps = parseColumnPath(text);
  if (steps === undefined) return undefined;
  const names = steps.flatMap((step) => (step.kind === 'member' ? [step.name] : []));
  return names.length === steps.length ? (root) => memberAt(root, names) : (root) => follow([root], steps, root)[0];
}

/** Fast path for paths that consist of member names only. Most paths do, and a Table evaluates several per object. */
function memberAt(root: JsonValue, names: readonly string[]): JsonValue | undefined {
  let found: JsonValue | undefined = root;
  for (const name of names) found = isJsonObject(found) ? getMember(found, name) : undefined;
  return found;
}

/** Compiles a JSONPath to a function that returns all selected values, in order. `undefined` if the path is invalid. */
export function compileColumnPathValues(text: string): ((root: JsonValue) => readonly JsonValue[]) | undefined {
  const steps = parseColumnPath(text);
  return steps && ((root) => follow([root], steps, root));
}

function follow(values: readonly JsonValue[], steps: readonly PathStep[], root: JsonValue): readonly JsonValue[] {
  let found = values;
  for (const step of steps) {
    found = found.flatMap((value) => take(value, step, root));
    if (found.length === 0) break;
  }
  return found;
}

function take(value: JsonValue, step: PathStep, root: JsonValue): readonly JsonValue[] {
  switch (step.kind) {
    case 'member':
      return present(isJsonObject(value) ? getMember(value, step.name) : undefined);
    case 'all':
      return membersOf(value);
    case 'below':
      return descend(value);
    case 'slice':
      return Array.isArray(value) ? slice(value, step) : [];
    case 'union':
      return step.steps.flatMap((one) => take(value, one, root));
    case 'filter':
      return membersOf(value).filter((item) => holds(item, step.filter, root));
  }
}

function present(value: JsonValue | undefined): JsonValue[] {
  return value === undefined ? [] : [value];
}

function membersOf(value: JsonValue): readonly JsonValue[] {
  if (Array.isArray(value)) return value;
  return isJsonObject(value) ? Object.values(value) : [];
}

function descend(value: JsonValue): JsonValue[] {
  return [value, ...membersOf(value).flatMap(descend)];
}

function slice(items: readonly JsonValue[], { from, to, by }: Extract<PathStep, { kind: 'slice' }>): JsonValue[] {
  const place = (index: number) => (index < 0 ? index + items.length : index);
  const start = from === undefined ? 0 : place(from);
  const end = Math.min(to === undefined ? items.length : place(to), items.length);
  const found: JsonValue[] = [];
  for (let at = Math.max(start, 0); at < end; at += by) found.push(items[at] as JsonValue);
  return found;
}

function holds(item: JsonValue, filter: PathFilter, root: JsonValue): boolean {
  const left = operand(item, filter.left, root);
  if (filter.operator === 'exists') return left.length > 0;
  const right = filter.right === undefined ? [] : operand(item, filter.right, root);
  const [a, b] = [left[0], right[0]];
  if (a === undefined || b === undefined) return false;
  switch (filter.operator) {
    case '==':
      return equalJson(a, b);
    case '!=':
      return !equalJson(a, b);
    default:
      return compares(a, b, filter.operator);
  }
}

function operand(item: JsonValue, side: PathFilter['left'], root: JsonValue): readonly JsonValue[] {
  if ('value' in side) return [side.value];
  return follow([side.fromRoot ? root : item], side.steps, root);
}

function compares(a: JsonValue, b: JsonValue, operator: string): boolean {
  const ordered = (value: JsonValue) => (typeof value === 'bigint' ? Number(value) : value);
  const [left, right] = [ordered(a), ordered(b)];
  if (typeof left !== typeof right || (typeof left !== 'number' && typeof left !== 'string')) return false;
  const [x, y] = [left as number, right as number];
  if (operator === '<') return x < y;
  if (operator === '<=') return x <= y;
  return operator === '>' ? x > y : x >= y;
}
