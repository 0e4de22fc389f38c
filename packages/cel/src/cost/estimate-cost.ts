import type { CelType } from '../cel-type.ts';
import type { DeclaredType } from '../declared-type.ts';
import type { Call, Comprehension, Expression, Select } from '../expression.ts';
import { codePointCount } from '../library/code-points.ts';
import { estimateCall } from './estimate-call.ts';
import { exactly, MAX_VALUE, plus, type Span, times, UNKNOWN_SPAN, union } from './span.ts';

/** Returns the maximum cost of a type-checked expression. `self` describes the sizes of the values it can access. */
export function estimateCost(expression: Expression, self: DeclaredType): number {
  return new Estimator(self).cost(expression).max;
}

/** The path of a value in the schema: the name of a variable, then field names, `@items`, `@values` or `@keys`. */
type Path = readonly string[];

interface Entries {
  readonly key: Span;
  readonly value: Span;
}

interface Local {
  readonly path: Path | undefined;
  readonly size?: Span | undefined;
  readonly entries?: Entries | undefined;
}

class Estimator {
  readonly #self: DeclaredType;
  readonly #paths = new Map<Expression, Path>();
  readonly #sizes = new Map<Expression, Span>();
  readonly #entries = new Map<Expression, Entries>();
  readonly #locals: (readonly [string, Local])[] = [];

  constructor(self: DeclaredType) {
    this.#self = self;
  }

  cost(expression: Expression): Span {
    switch (expression.kind) {
      case 'constant':
        return exactly(0);
      case 'identifier': {
        const local = this.#local(expression.name);
        const path = local === undefined ? [expression.name] : local.path;
        if (path !== undefined) this.#paths.set(expression, path);
        return exactly(1);
      }
      case 'select':
        return this.#select(expression);
      case 'call':
        return this.#call(expression);
      case 'list':
        return this.#list(expression, expression.elements);
      case 'map': {
        const keys = expression.entries.map(([key]) => key);
        const values = expression.entries.map(([, value]) => value);
        const costs = [...keys, ...values].map((one) => this.cost(one));
        this.#entries.set(expression, { key: this.#common(keys), value: this.#common(values) });
        return plus(...costs, exactly(30));
      }
      case 'message':
        return plus(...expression.fields.map(({ value }) => this.cost(value)), exactly(40));
      case 'comprehension':
        return isBinding(expression) ? this.#binding(expression) : this.#loop(expression);
    }
  }

  #list(expression: Expression, elements: readonly Expression[]): Span {
    const costs = elements.map((one) => this.cost(one));
    this.#entries.set(expression, { key: exactly(1), value: this.#common(elements) });
    return plus(...costs, exactly(10));
  }

  #common(elements: readonly Expression[]): Span {
    if (elements.length === 0) return exactly(0);
    return elements.map((one) => this.#size(one) ?? UNKNOWN_SPAN).reduce(union);
  }

  #select(expression: Select): Span {
    const operand = this.cost(expression.operand);
    if (expression.test) return operand;
    const path = this.#path(expression.operand);
    if (path !== undefined) this.#paths.set(expression, [...path, expression.field]);
    const kind = expression.operand.type?.kind;
    // As in Kubernetes, selecting a field of a dynamic value costs nothing.
    return kind === 'map' || kind === 'object' || kind === 'parameter' ? plus(operand, exactly(1)) : operand;
  }

  #call(expression: Call): Span {
    const target = expression.qualified === true ? undefined : expression.target;
    const args = target === undefined ? expression.args : [target, ...expression.args];
    const costs = args.map((one) => this.cost(one));
    const [first, second, third] = args as readonly [Expression, Expression, Expression];
    const [a, b, c] = costs as [Span, Span, Span];
    switch (expression.name) {
      case 'dyn':
        this.#copySizes(expression, first);
        return plus(exactly(1), a);
      case '_&&_':
      case '_||_':
        return { min: a.min, max: plus(a, b).max };
      case '_?_:_': {
        this.#sizes.set(expression, union(this.#size(second) ?? UNKNOWN_SPAN, this.#size(third) ?? UNKNOWN_SPAN));
        const either = joinEntries(this.#entriesOf(second), this.#entriesOf(third));
        if (either !== undefined) this.#entries.set(expression, either);
        return plus(a, union(b, c));
      }
      case '_?._':
        return plus(a, exactly(1));
    }
    return plus(this.#applied(expression, args), ...costs);
  }

  /**
   * Estimates the cost of a call. If the overload is known only at run time, the range covers the costs of all possible
   * overloads.
   */
  #applied(expression: Call, args: readonly Expression[]): Span {
    const sizes = args.map((one) => this.#size(one) ?? UNKNOWN_SPAN);
    const element = this.#elementOf(args[0]);
    let cost: Span = { min: MAX_VALUE, max: 0 };
    let size: Span | undefined;
    for (const { id } of expression.overloads ?? []) {
      const made = estimateCall({ name: callName(expression), id, args, sizes, ...(element && { element }) });
      cost = union(cost, made.cost);
      if (made.size !== undefined) size = size === undefined ? made.size : union(size, made.size);
      const place = id === 'index_list' ? '@items' : id === 'index_map' ? '@values' : undefined;
      if (place !== undefined) {
        size = this.#entriesOf(args[0] as Expression)?.value;
        const path = this.#path(args[0] as Expression);
        if (path !== undefined) this.#paths.set(expression, [...path, place]);
      }
    }
    if (expression.name === '_+_') {
      const both = joinEntries(this.#entriesOf(args[0] as Expression), this.#entriesOf(args[1] as Expression));
      if (both !== undefined) this.#entries.set(expression, both);
    }
    const found = size ?? this.#size(expression);
    if (found !== undefined) this.#sizes.set(expression, found);
    return cost;
  }

  #elementOf(list: Expression | undefined): { type: CelType; size: Span } | undefined {
    if (list?.type?.kind !== 'list') return undefined;
    const path = this.#path(list);
    const declared = path === undefined ? undefined : this.#declared([...path, '@items']);
    return {
      type: list.type.element,
      size: declared === undefined ? UNKNOWN_SPAN : { min: 0, max: declared.maxElements },
    };
  }

  #loop(expression: Comprehension): Span {
    const range = this.cost(expression.range);
    const initial = this.cost(expression.initial);
    this.#locals.push([expression.accumulator, this.#asLocal(expression.initial)]);
    const before = this.#locals.length;
    this.#pushVariables(expression);
    const condition = this.cost(expression.condition);
    const step = this.cost(expression.step);
    this.#locals.length = before;
    const result = this.cost(expression.result);
    this.#locals.pop();
    const count = this.#size(expression.range) ?? UNKNOWN_SPAN;
    if (expression.initial.kind === 'constant') {
      const size = this.#size(expression.initial);
      if (size !== undefined) this.#sizes.set(expression, size);
    } else if (expression.initial.kind === 'list' || expression.initial.kind === 'map') {
      this.#sizes.set(expression, count);
      const entries = this.#entriesOf(expression.step);
      if (entries !== undefined) this.#entries.set(expression, entries);
    }
    return plus(range, initial, result, times(count, plus(step, condition)));
  }

  #pushVariables({ range, variable, second }: Comprehension): void {
    const path = this.#path(range);
    const entries = this.#entriesOf(range);
    const isList = range.type?.kind === 'list';
    const at = (place: string): Path | undefined => (path === undefined ? undefined : [...path, place]);
    const values: Local = { path: at(isList ? '@items' : '@values'), size: entries?.value };
    const keys: Local = { path: at(isList ? '@indices' : '@keys'), size: entries?.key };
    if (second !== undefined) this.#locals.push([variable, keys], [second, values]);
    else this.#locals.push([variable, isList ? values : keys]);
  }

  #binding(expression: Comprehension): Span {
    const costs = [this.cost(expression.range), this.cost(expression.initial)];
    this.#locals.push([expression.accumulator, this.#asLocal(expression.initial)]);
    costs.push(this.cost(expression.result));
    this.#locals.pop();
    this.#copySizes(expression, expression.result);
    return plus(...costs);
  }

  #asLocal(value: Expression): Local {
    return { path: this.#path(value), size: this.#size(value), entries: this.#entriesOf(value) };
  }

  #copySizes(to: Expression, from: Expression): void {
    const size = this.#size(from);
    if (size !== undefined) this.#sizes.set(to, size);
    const entries = this.#entriesOf(from);
    if (entries !== undefined) this.#entries.set(to, entries);
  }

  #local(name: string): Local | undefined {
    for (let at = this.#locals.length - 1; at >= 0; at--) {
      const [known, local] = this.#locals[at] as readonly [string, Local];
      if (known === name) return local;
    }
    return undefined;
  }

  #path(expression: Expression): Path | undefined {
    if (expression.kind === 'identifier') {
      const local = this.#local(expression.name);
      if (local !== undefined) return local.path;
    }
    return this.#paths.get(expression);
  }

  #entriesOf(expression: Expression): Entries | undefined {
    const found = this.#entries.get(expression);
    if (found !== undefined) return found;
    return expression.kind === 'identifier' ? this.#local(expression.name)?.entries : undefined;
  }

  #size(expression: Expression): Span | undefined {
    const found = this.#sizes.get(expression) ?? literalSize(expression);
    if (found !== undefined) return found;
    const path = this.#path(expression);
    const declared = path === undefined ? undefined : this.#declared(path);
    if (declared !== undefined) return { min: 0, max: declared.maxElements };
    if (isScalar(expression.type)) return exactly(1);
    return expression.kind === 'identifier' ? this.#local(expression.name)?.size : undefined;
  }

  /**
   * Returns the declared type at a path. As in Kubernetes, the first segment of the path always stands for `self`, even
   * if that segment is the name of another variable.
   */
  #declared([, ...path]: Path): DeclaredType | undefined {
    let at: DeclaredType | undefined = this.#self;
    for (const name of path) {
      if (name === '@items' || name === '@values') at = at?.element;
      else if (name === '@keys') at = at?.key;
      else at = at?.fields?.get(name) ?? at?.otherFields;
    }
    return at;
  }
}

/** Returns the full name of the called function, including its namespace: `sets.contains`. */
function callName(expression: Call): string {
  return expression.overloads?.[0]?.name ?? expression.name;
}

function isBinding({ range, condition, accumulator }: Comprehension): boolean {
  const never = condition.kind === 'constant' && condition.value === false;
  return never && range.kind === 'list' && range.elements.length === 0 && !accumulator.startsWith('@result');
}

function joinEntries(left: Entries | undefined, right: Entries | undefined): Entries | undefined {
  if (left === undefined || right === undefined) return undefined;
  return { key: union(left.key, right.key), value: union(left.value, right.value) };
}

function literalSize(expression: Expression): Span | undefined {
  if (expression.kind === 'list') return exactly(expression.elements.length);
  if (expression.kind === 'map') return exactly(expression.entries.length);
  if (expression.kind !== 'constant') return undefined;
  const { value } = expression;
  if (typeof value === 'string') return exactly(codePointCount(value));
  return exactly(value instanceof Uint8Array ? value.length : 1);
}

function isScalar(type: CelType | undefined): boolean {
  switch (type?.kind) {
    case 'bool':
    case 'double':
    case 'int':
    case 'uint':
    case 'google.protobuf.Timestamp':
    case 'google.protobuf.Duration':
      return true;
    case 'opaque':
      return type.name === 'optional_type' && isScalar(type.parameters[0]);
    default:
      return false;
  }
}
