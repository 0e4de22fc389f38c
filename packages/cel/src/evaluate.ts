import { callCost, dynamicCallCost } from './cost/runtime-cost.ts';
import type { Evaluation } from './evaluation.ts';
import {
  ACCUMULATOR,
  type Call,
  type Comprehension,
  type Expression,
  type MessageExpression,
  type Select,
} from './expression.ts';
import { entriesOf, fieldOf, listIndex, matchingOverload, noSuchOverload } from './lookup.ts';
import { EvaluationError } from './meter.ts';
import type { Overload } from './overload.ts';
import { CelMessage, CelOptional, type CelValue, PlainList, PlainMap } from './value.ts';

/** Returns the value of a variable by name, `undefined` if the variable has no value. */
export type Bindings = (name: string) => CelValue | undefined;

/**
 * Evaluates a type-checked expression. Throws EvaluationError, and CostExceeded if the cost reaches the limit of the
 * meter.
 */
export function evaluate(expression: Expression, bindings: Bindings, evaluation: Evaluation): CelValue {
  return new Evaluator(evaluation).run(expression, bindings);
}

/**
 * A list that a macro fills. Elements are added in place, because only the macro uses the list until the macro ends.
 */
class GrowingList extends PlainList {}

class Evaluator {
  readonly #evaluation: Evaluation;

  constructor(evaluation: Evaluation) {
    this.#evaluation = evaluation;
  }

  run(expression: Expression, bindings: Bindings): CelValue {
    if (expression.folded !== undefined) return expression.folded;
    const { meter } = this.#evaluation;
    switch (expression.kind) {
      case 'constant':
        return expression.value;
      case 'identifier': {
        meter.charge(1);
        const value = bindings(expression.name);
        if (value === undefined) throw new EvaluationError(`no such attribute(s): ${expression.name}`);
        return value;
      }
      case 'select':
        return this.#select(expression, bindings);
      case 'call':
        return this.#call(expression, bindings);
      case 'list': {
        const items = expression.elements.map((one) => this.run(one, bindings));
        meter.charge(10);
        return new PlainList(items);
      }
      case 'map': {
        const entries = expression.entries.map(
          ([key, value]) => [this.run(key, bindings), this.run(value, bindings)] as const,
        );
        meter.charge(30);
        const map = new PlainMap();
        for (const [key, value] of entries) {
          map.set(key, value);
        }
        return map;
      }
      case 'message':
        return this.#message(expression, bindings);
      case 'comprehension':
        return this.#comprehension(expression, bindings);
    }
  }

  #message({ typeName, fields }: MessageExpression, bindings: Bindings): CelValue {
    const values = new Map<string, CelValue>();
    for (const { name, value, isOptional } of fields) {
      const found = this.run(value, bindings);
      if (!isOptional) values.set(name, found);
      else if (!(found instanceof CelOptional)) throw noSuchOverload();
      else if (found.value !== undefined) values.set(name, found.value);
    }
    this.#evaluation.meter.charge(40);
    return new CelMessage(typeName, values);
  }

  #select(expression: Select, bindings: Bindings): CelValue {
    const { meter } = this.#evaluation;
    if (expression.variable !== undefined) {
      meter.charge(1);
      return bindings(expression.variable) ?? null;
    }
    const operand = this.run(expression.operand, bindings);
    if (!isAttribute(expression.operand)) meter.charge(1);
    if (operand instanceof CelOptional) return this.#inOptional(operand, expression);
    if (!expression.test) meter.charge(1);
    const found = fieldOf(operand, expression.field);
    if (expression.test) return found !== undefined;
    if (found === undefined) throw new EvaluationError(`no such key: ${expression.field}`);
    return found;
  }

  #inOptional({ value }: CelOptional, expression: Select): CelValue {
    const found = value === undefined ? undefined : fieldOf(value, expression.field);
    if (expression.test) return found !== undefined;
    if (found === undefined) return CelOptional.none;
    this.#evaluation.meter.charge(1);
    return CelOptional.of(found);
  }

  /**
   * Evaluates a branch of `?:` or an index. As in Kubernetes, reading a variable as a branch or index costs nothing, so
   * the cost is refunded.
   */
  #branch(expression: Expression, bindings: Bindings): CelValue {
    const value = this.run(expression, bindings);
    if (expression.folded === undefined && isAttribute(expression)) this.#evaluation.meter.refund(1);
    return value;
  }

  #call(expression: Call, bindings: Bindings): CelValue {
    const [first, second, third] = expression.args as readonly [Expression, Expression, Expression];
    switch (expression.name) {
      case '_&&_':
        return this.#logical(first, second, bindings, false);
      case '_||_':
        return this.#logical(first, second, bindings, true);
      case '_?_:_': {
        const condition = this.run(first, bindings);
        if (typeof condition !== 'boolean') throw noSuchOverload();
        return this.#branch(condition ? second : third, bindings);
      }
      case '@not_strictly_false':
        return this.#notStrictlyFalse(first, bindings);
      case '_?._':
        return this.#optionalField(first, second, bindings);
    }
    const target = expression.qualified === true ? undefined : expression.target;
    if (target !== undefined && (expression.name === 'or' || expression.name === 'orValue')) {
      const value = this.run(target, bindings);
      if (!(value instanceof CelOptional)) throw noSuchOverload();
      if (value.value === undefined) return this.run(first, bindings);
      return expression.name === 'or' ? value : value.value;
    }
    return this.#apply(expression, this.#arguments(expression, target, bindings));
  }

  #arguments(expression: Call, target: Expression | undefined, bindings: Bindings): CelValue[] {
    const values: CelValue[] = [];
    try {
      if (target !== undefined) values.push(this.run(target, bindings));
      const isIndexing = INDEXING.has(expression.name);
      for (const [place, one] of expression.args.entries()) {
        values.push(isIndexing && place === 1 ? this.#branch(one, bindings) : this.run(one, bindings));
      }
      if (isIndexing) values[1] = listIndex(values[0] as CelValue, values[1] as CelValue);
    } catch (error) {
      // As in Kubernetes, a call costs one unit even if the evaluation of its arguments fails.
      if (error instanceof EvaluationError) this.#evaluation.meter.charge(1);
      throw error;
    }
    return values;
  }

  #apply(expression: Call, args: readonly CelValue[]): CelValue {
    const found = matchingOverload(expression.overloads ?? [], args);
    if (found === undefined) throw noSuchOverload(expression.name);
    const grown = found.id === 'add_list' ? args[0] : undefined;
    let result: CelValue;
    if (grown instanceof GrowingList) {
      for (const one of args[1] as PlainList) grown.items.push(one);
      result = grown;
    } else {
      result = this.#invoke(found, args);
    }
    const { meter } = this.#evaluation;
    if (INDEXING.has(expression.name)) {
      if (!isAttribute(expression.args[0] as Expression)) meter.charge(1);
      if (!(result instanceof CelOptional) || result.value !== undefined) meter.charge(1);
    } else if (found.id !== 'in_list' || expression.args[1]?.folded === undefined) {
      const costOf = expression.overloads?.length === 1 ? callCost : dynamicCallCost;
      meter.charge(costOf(found, args, result, meter));
    }
    return result;
  }

  #invoke(found: Overload, args: readonly CelValue[]): CelValue {
    try {
      return found.call(args, this.#evaluation);
    } catch (error) {
      if (error instanceof EvaluationError) this.#evaluation.meter.charge(1);
      throw error;
    }
  }

  /**
   * Evaluates `&&` or `||`. If either side evaluates to `decides`, the result is `decides`, even if the other side
   * fails.
   */
  #logical(left: Expression, right: Expression, bindings: Bindings, decides: boolean): CelValue {
    let failure: EvaluationError | undefined;
    try {
      const value = this.run(left, bindings);
      if (value === decides) return decides;
      if (typeof value !== 'boolean') failure = noSuchOverload();
    } catch (error) {
      if (!(error instanceof EvaluationError)) throw error;
      failure = error;
    }
    const value = this.run(right, bindings);
    if (value === decides) return decides;
    if (failure !== undefined) throw failure;
    if (typeof value !== 'boolean') throw noSuchOverload();
    return value;
  }

  #notStrictlyFalse(operand: Expression, bindings: Bindings): CelValue {
    let holds = true;
    try {
      holds = this.run(operand, bindings) !== false;
    } catch (error) {
      if (!(error instanceof EvaluationError)) throw error;
    }
    this.#evaluation.meter.charge(1);
    return holds;
  }

  #optionalField(operand: Expression, field: Expression, bindings: Bindings): CelValue {
    const name = field.kind === 'constant' ? String(field.value) : '';
    const value = this.run(operand, bindings);
    if (!isAttribute(operand)) this.#evaluation.meter.charge(1);
    const of = value instanceof CelOptional ? value.value : value;
    const found = of === undefined ? undefined : fieldOf(of, name);
    if (found === undefined) return CelOptional.none;
    this.#evaluation.meter.charge(1);
    return CelOptional.of(found);
  }

  #comprehension(expression: Comprehension, bindings: Bindings): CelValue {
    const range = this.run(expression.range, bindings);
    const { accumulator } = expression;
    // An error of one element is kept in the accumulator and not thrown, because a later element can make `exists`
    // true.
    let accumulated = emptyContainer(expression) ?? this.#attempt(expression.initial, bindings);
    let first: CelValue = null;
    let second: CelValue = null;
    const outer: Bindings = (name) => (name === accumulator ? accumulatedValue(accumulated) : bindings(name));
    const inner: Bindings = (name) => {
      if (name === expression.variable) return first;
      if (name === expression.second) return second;
      return outer(name);
    };
    for (const [key, value] of entriesOf(range, expression.second !== undefined)) {
      first = key;
      second = value;
      if (this.run(expression.condition, inner) !== true) break;
      accumulated = this.#attempt(expression.step, inner);
      if (accumulated instanceof EvaluationError && !isQuantifier(expression)) throw accumulated;
    }
    const result = this.run(expression.result, outer);
    return result instanceof GrowingList ? new PlainList(result.items) : result;
  }

  #attempt(expression: Expression, bindings: Bindings): CelValue | EvaluationError {
    try {
      return this.run(expression, bindings);
    } catch (error) {
      if (error instanceof EvaluationError) return error;
      throw error;
    }
  }
}

/** Returns a new empty list or map for the accumulator of a macro, which extends it in place. */
function emptyContainer({ initial, accumulator }: Comprehension): CelValue | undefined {
  if (accumulator !== ACCUMULATOR) return undefined;
  if (initial.kind === 'list' && initial.elements.length === 0) return new GrowingList([]);
  return initial.kind === 'map' && initial.entries.length === 0 ? new PlainMap() : undefined;
}

const INDEXING = new Set(['_[_]', '_[?_]']);

/**
 * True for a variable or a path that starts at a variable. The variable and each step of the path cost one unit each.
 */
function isAttribute(expression: Expression): boolean {
  switch (expression.kind) {
    case 'identifier':
    case 'select':
      return true;
    case 'call':
      return INDEXING.has(expression.name) || expression.name === '_?._' || expression.name === '_?_:_';
    default:
      return false;
  }
}

/** True for `all` and `exists`, which report the error of an element only if no other element decides the result. */
function isQuantifier({ step }: Comprehension): boolean {
  return step.kind === 'call' && (step.name === '_&&_' || step.name === '_||_');
}

function accumulatedValue(accumulated: CelValue | EvaluationError): CelValue {
  if (accumulated instanceof EvaluationError) throw accumulated;
  return accumulated;
}
