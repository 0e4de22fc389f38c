/** The variables that are defined at a position of a template. `$` is the argument of the template. */
export class KnownVariables {
  readonly #names: string[] = [];
  /** The number of declarations of each name, in this block and in the blocks around it. */
  readonly #counts = new Map<string, number>();

  constructor() {
    this.declare('$');
  }

  /** The number of declarations. `forgetFrom` restores the variables that were defined when it was read. */
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
