/** The variables that are defined at a position of a template. `$` is the argument of the template. */
export class KnownVariables {
  readonly #names: string[] = [];
  /** The number of declarations of each name in the current block and in all enclosing blocks. */
  readonly #counts = new Map<string, number>();

  constructor() {
    this.declare('$');
  }

  /** The number of declarations so far. Pass it to `forgetFrom` later to forget all declarations made since. */
  get length(): number {
    return this.#names.length;
  }

  has(name: string): boolean {
    return (this.#counts.get(name) ?? 0) > 0;
  }

  declare(name: string): void {
    this.#names.push(name);
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  /** Forgets the variables of a block that ended. */
  forgetFrom(length: number): void {
    for (const name of this.#names.splice(length)) this.#counts.set(name, (this.#counts.get(name) ?? 0) - 1);
  }
}
