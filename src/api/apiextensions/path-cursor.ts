import { equalJson, getMember, isJsonObject, type JsonValue } from '@flotilla/json';
import { enumerationUnits, tryChargeJson, type WorkMeter } from '@flotilla/work-meter';
import { cellUnits } from '../cell-units.ts';
import type { Operand, ParsedPath, PathFilter, PathStep } from './parse-column-path.ts';

/** The evaluation of a path for one object, which all cursors of the evaluation share. */
export class PathEvaluation {
  readonly root: JsonValue;
  readonly meter: WorkMeter;
  /** The values of operands that start at the object. They are equal for all items to which a filter is applied. */
  readonly rootOperands = new Map<Operand, JsonValue | undefined>();
  /** True if the meter's limit ended the evaluation. The result of the evaluation is then unknown. */
  isOverLimit = false;

  constructor(root: JsonValue, meter: WorkMeter) {
    this.root = root;
    this.meter = meter;
  }

  charge(units: number): boolean {
    if (this.isOverLimit || !this.meter.tryCharge(units)) this.isOverLimit = true;
    return !this.isOverLimit;
  }
}

/**
 * The values inside one value that the cursor still has to visit. Frames are instances of a class for speed, because
 * many are created.
 */
class Frame {
  readonly source: JsonValue;
  /** The index of the step to which the cursor passes each value of the frame. */
  readonly target: number;
  /** The members or items of `source`. They are read when the cursor needs the first of them. */
  items: readonly JsonValue[] | undefined = undefined;
  at = 0;
  end = Number.MAX_SAFE_INTEGER;
  by = 1;
  readonly filter: PathFilter | undefined;
  /** The steps of a union. If present, the cursor follows these steps instead of visiting the items. */
  readonly union: readonly PathStep[] | undefined;

  constructor(source: JsonValue, target: number, filter?: PathFilter, union?: readonly PathStep[]) {
    this.source = source;
    this.target = target;
    this.filter = filter;
    this.union = union;
  }
}

/*
 * The work of single operations, compared with one step at one value, as measured: creating a frame or a cursor, and
 * remembering a value in a set.
 */
const frameUnits = 6;
const cursorUnits = 12;
const rememberUnits = 20;

/**
 * Finds the values that a path selects, one by one and in order. It keeps only one path through the object in memory,
 * and the meter of the evaluation limits its work. It does not recurse, because objects can be nested deeply.
 */
export class PathCursor {
  readonly #path: ParsedPath;
  readonly #evaluation: PathEvaluation;
  readonly #frames: Frame[];
  /** For each repeated step, the values from which the cursor has already followed that step. */
  readonly #visited: Map<number, Set<JsonValue>> | undefined;

  /**
   * `distinct` skips values from which the cursor has already followed the remaining steps. Without it, a path such as
   * `..a..a..a` visits most values of a deeply nested object many times. The first selected value is the same in both
   * cases.
   */
  constructor(path: ParsedPath, start: JsonValue, evaluation: PathEvaluation, distinct: boolean) {
    this.#path = path;
    this.#evaluation = evaluation;
    this.#frames = [new Frame([start], 0)];
    evaluation.charge(cursorUnits);
    this.#visited = distinct && path.repeated.size > 0 ? new Map() : undefined;
  }

  /** Returns the next value. Returns `undefined` at the end, or if the evaluation is over its limit. */
  next(): JsonValue | undefined {
    const frames = this.#frames;
    for (let frame = frames.at(-1); frame !== undefined && this.#evaluation.charge(1); frame = frames.at(-1)) {
      const found = frame.union === undefined ? this.#nextItem(frame) : this.#nextInUnion(frame, frame.union);
      if (found !== undefined) return this.#evaluation.isOverLimit ? undefined : found;
    }
    return undefined;
  }

  #nextItem(frame: Frame): JsonValue | undefined {
    frame.items ??= this.#readItems(frame);
    if (frame.at >= frame.end) {
      this.#frames.pop();
      return undefined;
    }
    const item = frame.items[frame.at] as JsonValue;
    frame.at += frame.by;
    if (frame.filter !== undefined && !matchesFilter(item, frame.filter, this.#evaluation)) return undefined;
    return this.#follow(item, frame.target);
  }

  #readItems(frame: Frame): readonly JsonValue[] {
    const items = membersOf(frame.source);
    if (!Array.isArray(frame.source)) this.#evaluation.charge(enumerationUnits(items.length));
    frame.end = Math.min(frame.end, items.length);
    return items;
  }

  #nextInUnion(frame: Frame, union: readonly PathStep[]): JsonValue | undefined {
    const step = union[frame.at++];
    if (step === undefined) {
      this.#frames.pop();
      return undefined;
    }
    const value = this.#take(step, frame.source, frame.target);
    return value === undefined ? undefined : this.#follow(value, frame.target);
  }

  /**
   * Follows the steps from a value while each step selects exactly one value. For a step that selects several values,
   * adds a frame.
   */
  #follow(value: JsonValue, from: number): JsonValue | undefined {
    const { steps } = this.#path;
    let current = value;
    for (let at = from; at < steps.length; at++) {
      if (!this.#evaluation.charge(1) || this.#wasVisited(current, at)) return undefined;
      const next = this.#take(steps[at] as PathStep, current, at + 1);
      if (next === undefined) return undefined;
      current = next;
    }
    return current;
  }

  #wasVisited(value: JsonValue, at: number): boolean {
    if (this.#visited === undefined || !this.#path.repeated.has(at) || !isContainer(value)) return false;
    this.#evaluation.charge(rememberUnits);
    const values = this.#visited.get(at) ?? new Set();
    if (values.has(value)) return true;
    this.#visited.set(at, values.add(value));
    return false;
  }

  /** Returns the value if the step selects exactly one. Otherwise adds a frame for the values, and returns nothing. */
  #take(step: PathStep, value: JsonValue, target: number): JsonValue | undefined {
    switch (step.kind) {
      case 'member':
        return isJsonObject(value) ? getMember(value, step.name) : undefined;
      case 'all':
        this.#push(new Frame(value, target));
        return undefined;
      case 'below':
        // The step selects the value itself first. The frame then applies the same step to the values inside it.
        this.#push(new Frame(value, target - 1));
        return value;
      case 'slice':
        if (Array.isArray(value)) this.#push(sliceFrame(value, target, step));
        return undefined;
      case 'union':
        this.#push(new Frame(value, target, undefined, step.steps));
        return undefined;
      case 'filter':
        this.#push(new Frame(value, target, step.filter));
        return undefined;
    }
  }

  #push(frame: Frame): void {
    if (isContainer(frame.source) && this.#evaluation.charge(frameUnits)) this.#frames.push(frame);
  }
}

function isContainer(value: JsonValue): boolean {
  return typeof value === 'object' && value !== null;
}

function membersOf(value: JsonValue): readonly JsonValue[] {
  if (Array.isArray(value)) return value;
  return isJsonObject(value) ? Object.values(value) : [];
}

function sliceFrame(items: JsonValue[], target: number, step: Extract<PathStep, { kind: 'slice' }>): Frame {
  const { from, to, by } = step;
  const place = (index: number) => (index < 0 ? index + items.length : index);
  const frame = new Frame(items, target);
  frame.at = Math.max(from === undefined ? 0 : place(from), 0);
  frame.end = to === undefined ? items.length : place(to);
  frame.by = by;
  return frame;
}

function matchesFilter(item: JsonValue, filter: PathFilter, evaluation: PathEvaluation): boolean {
  const left = operandValue(item, filter.left, evaluation);
  if (filter.operator === 'exists') return left !== undefined;
  const right = filter.right === undefined ? undefined : operandValue(item, filter.right, evaluation);
  if (left === undefined || right === undefined) return false;
  switch (filter.operator) {
    case '==':
      return equalValues(left, right, evaluation);
    case '!=':
      return !equalValues(left, right, evaluation);
    default:
      return compares(left, right, filter.operator);
  }
}

function operandValue(item: JsonValue, operand: Operand, evaluation: PathEvaluation): JsonValue | undefined {
  if ('value' in operand) return operand.value;
  if (!operand.fromRoot) return firstValue(operand.path, item, evaluation);
  if (!evaluation.rootOperands.has(operand)) {
    evaluation.rootOperands.set(operand, firstValue(operand.path, evaluation.root, evaluation));
  }
  return evaluation.rootOperands.get(operand);
}

/** Returns the first value that the path selects; `undefined` if there is none or the evaluation is over its limit. */
export function firstValue(path: ParsedPath, start: JsonValue, evaluation: PathEvaluation): JsonValue | undefined {
  if (path.names === undefined) return new PathCursor(path, start, evaluation, true).next();
  return evaluation.charge(path.names.length) ? memberAt(start, path.names) : undefined;
}

/**
 * Evaluates a path that consists of member names only. Most paths do, and a Table evaluates several paths per object.
 */
export function memberAt(start: JsonValue, names: readonly string[]): JsonValue | undefined {
  let found: JsonValue | undefined = start;
  for (const name of names) {
    if (!isJsonObject(found)) return undefined;
    found = getMember(found, name);
  }
  return found;
}

function equalValues(a: JsonValue, b: JsonValue, evaluation: PathEvaluation): boolean {
  // Charge only objects and lists. Comparing strings or numbers takes no longer than decoding them.
  if (isContainer(a) && isContainer(b)) {
    const { meter } = evaluation;
    const isWithinLimit = tryChargeJson(meter, a, cellUnits) && tryChargeJson(meter, b, cellUnits);
    if (!isWithinLimit) evaluation.isOverLimit = true;
  }
  return !evaluation.isOverLimit && equalJson(a, b);
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
