import type { Value } from './values.ts';

/** A block during execution: the value of `.`, and the variables of the block and of all enclosing blocks. */
export class Scope {
  readonly dot: Value;
  /** The number of enclosing blocks. Finding a variable takes up to this many steps. */
  readonly depth: number;
  /** The variables of this block. The map is created for the first variable, because most blocks declare none. */
  #own: Map<string, Value> | undefined;
  readonly #outer: Scope | undefined;

  /** Creates a scope. A scope without `outer` defines the variable `$`. */
  constructor(dot: Value, outer?: Scope) {
    this.dot = dot;
    this.depth = outer === undefined ? 0 : outer.depth + 1;
    this.#outer = outer;
    if (outer === undefined) this.declare('$', dot);
  }

  inner(dot: Value = this.dot): Scope {
    return new Scope(dot, this);
  }

  get(name: string): Value {
    return this.#scopeOf(name).#own?.get(name) ?? null;
  }

  declare(name: string, value: Value): void {
    this.#own ??= new Map();
    this.#own.set(name, value);
  }

  assign(name: string, value: Value): void {
    this.#scopeOf(name).declare(name, value);
  }

  /** Returns the scope that declares a variable, or the outermost one. */
  #scopeOf(name: string): Scope {
    let scope: Scope = this;
    while (scope.#own?.has(name) !== true && scope.#outer !== undefined) scope = scope.#outer;
    return scope;
  }
}
